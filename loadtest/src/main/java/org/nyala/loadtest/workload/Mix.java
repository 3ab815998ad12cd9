package org.nyala.loadtest.workload;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Jobs of one client and the weight of each.
 *
 * <p>Immutable.
 *
 * @param jobs the jobs, each once
 * @param weights the frequencies of the jobs, relative to each other, in the same order
 */
public record Mix(List<JobKind> jobs, List<Integer> weights) {
  public static final Mix NONE = new Mix(List.of(), List.of());

  /**
   * The shape of the storm that slapd's test suite runs (test008): processes of one kind each, with
   * loops of ten searches, twenty reads and twenty binds to one addition with deletion, one
   * renaming and back, one modification and back; counted with the lines of its data files.
   */
  private static final String TEST008 = "search=70,base=100,bind=60,add-delete=8,rename=8,modify=8";

  private static final Set<JobKind> POSSIBLE =
      EnumSet.of(
          JobKind.SEARCH,
          JobKind.BASE,
          JobKind.COMPARE,
          JobKind.BIND,
          JobKind.AUTHENTICATE,
          JobKind.CONNECT,
          JobKind.MODIFY,
          JobKind.ADD,
          JobKind.ADD_DELETE,
          JobKind.PASSWORD_MODIFY,
          JobKind.RENAME,
          JobKind.SCAN,
          JobKind.PAGED);

  private static final String FORM = "a list such as search=50,modify=25";
  private static final int MAX_WEIGHT = 1_000_000;

  public Mix {
    jobs = List.copyOf(jobs);
    weights = List.copyOf(weights);
  }

  /**
   * Reads {@code search=50,modify=25} or the name of a preset: {@code test008}.
   *
   * @throws IllegalArgumentException if it is neither
   */
  public static Mix parse(String text) {
    String mix = "test008".equals(text) ? TEST008 : text;
    List<JobKind> jobs = new ArrayList<>();
    List<Integer> weights = new ArrayList<>();
    for (String part : mix.split(",", -1)) {
      int equals = part.indexOf('=');
      LoadSettings.require(equals > 0, "--mix", FORM, text);
      JobKind job = job(part.substring(0, equals), text);
      int weight = weight(part.substring(equals + 1), text);
      LoadSettings.require(
          POSSIBLE.contains(job) && !jobs.contains(job),
          "--mix",
          "a list of jobs that can be mixed, each once",
          text);
      jobs.add(job);
      weights.add(weight);
    }
    return new Mix(jobs, weights);
  }

  private static JobKind job(String label, String text) {
    try {
      return JobKind.of(label);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--mix: no job " + label + " in " + text, e);
    }
  }

  private static int weight(String number, String text) {
    try {
      int weight = Integer.parseInt(number);
      LoadSettings.require(
          weight >= 1 && weight <= MAX_WEIGHT,
          "--mix",
          "a list of jobs with weights from 1 to " + MAX_WEIGHT,
          text);
      return weight;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--mix: no weight " + number + " in " + text, e);
    }
  }

  /** The sums of the weights up to each job. */
  public int[] cumulated() {
    int[] sums = new int[weights.size()];
    int sum = 0;
    for (int i = 0; i < sums.length; i++) {
      sum += weights.get(i);
      sums[i] = sum;
    }
    return sums;
  }
}
