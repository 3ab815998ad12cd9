package org.nyala.loadtest.compare;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;

/**
 * A measurement that a comparison makes in one go: a job, or several at the same time. Immutable.
 *
 * @param job its name on the command line
 * @param parts the jobs that run at the same time
 */
record ComparisonStep(String job, List<Part> parts) {
  static final String MIXED = "mixed";
  static final String ALONE = "search alone";
  static final String BESIDE = "search beside 16 modify";

  /** The number of people that the first published measurement of a directory server searched. */
  static final int STANFORD_ENTRIES = 20_797;

  private static final int FEW = 16;
  private static final int MANY = 128;
  private static final int LISTS = 4;

  /** Searches by so many clients that the tail of the latencies is the question. */
  static final String CROWD = "crowd";

  private static final int[] CROWDS = {1000, 10_000};

  /** A job of a step with its name in the results. Immutable. */
  record Part(String label, JobKind kind, int connections) {}

  /** Everything in the order in which it is measured: jobs that only read come first. */
  static List<ComparisonStep> all() {
    List<ComparisonStep> steps = new ArrayList<>();
    add(steps, JobKind.SEARCH, FEW, MANY);
    for (int connections : CROWDS) {
      Part searches = new Part(CROWD, JobKind.SEARCH, connections);
      steps.add(new ComparisonStep(CROWD, List.of(searches)));
    }
    add(steps, JobKind.BIND, FEW, MANY);
    add(steps, JobKind.AUTHENTICATE, FEW, MANY);
    add(steps, JobKind.CONNECT, FEW, MANY);
    add(steps, JobKind.SCAN, 1, 8);
    add(steps, JobKind.PAGED, 1);
    add(steps, JobKind.VLV, LISTS);
    add(steps, JobKind.VLV_OPEN, LISTS);
    add(steps, JobKind.MODIFY, 1, FEW, MANY);
    add(steps, JobKind.ADD_DELETE, FEW);
    add(steps, JobKind.RENAME, FEW);
    steps.add(new ComparisonStep(MIXED, List.of(new Part(ALONE, JobKind.SEARCH, FEW))));
    steps.add(
        new ComparisonStep(
            MIXED,
            List.of(
                new Part(BESIDE, JobKind.SEARCH, FEW),
                new Part("modify beside 16 search", JobKind.MODIFY, FEW))));
    add(steps, JobKind.MODIFY_EACH, FEW);
    return steps;
  }

  private static void add(List<ComparisonStep> steps, JobKind kind, int... connections) {
    for (int number : connections) {
      steps.add(new ComparisonStep(kind.label(), List.of(new Part(kind.label(), kind, number))));
    }
  }

  /**
   * The steps of these jobs; all steps if the list is empty.
   *
   * @throws LoadTestException if there is no such job
   */
  static List<ComparisonStep> of(Collection<String> jobs) throws LoadTestException {
    List<ComparisonStep> all = all();
    Set<String> known = new LinkedHashSet<>();
    all.forEach(step -> known.add(step.job()));
    Set<String> unknown = new TreeSet<>(jobs);
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw new LoadTestException("--jobs: " + unknown + " not among " + known);
    }
    return all.stream().filter(step -> jobs.isEmpty() || jobs.contains(step.job())).toList();
  }

  /** Returns whether this runs in the first round only: it ends by itself, and takes long. */
  boolean isOnce() {
    return parts.getFirst().kind() == JobKind.MODIFY_EACH;
  }

  /**
   * The loads that make a just-in-time compiler ready for steps, in order and without repetition:
   * jobs that are measured beside others run alone first, as fast as they go. Beside others a job
   * may be too slow for its code to be compiled before it is measured, and the compiler takes a
   * processor then.
   */
  static List<ComparisonStep> warmUps(List<ComparisonStep> steps) {
    Map<List<String>, ComparisonStep> warmUps = new LinkedHashMap<>();
    for (ComparisonStep step : steps) {
      if (!step.isOnce()) {
        if (step.parts.size() > 1) {
          step.parts.forEach(part -> addWarmUp(warmUps, part.kind().label(), List.of(part)));
        }
        addWarmUp(warmUps, step.job, step.parts);
      }
    }
    return List.copyOf(warmUps.values());
  }

  private static void addWarmUp(
      Map<List<String>, ComparisonStep> warmUps, String job, List<Part> parts) {
    List<String> key = new ArrayList<>(List.of(job));
    parts.forEach(part -> key.add(part.kind().label()));
    warmUps.putIfAbsent(key, new ComparisonStep(job, parts));
  }

  /** The load to run against a server. */
  List<LoadSettings> settings(ServerProcess server, int people, double seconds, double warmup) {
    return parts.stream().map(part -> settings(part, server, people, seconds, warmup)).toList();
  }

  private LoadSettings settings(
      Part part, ServerProcess server, int people, double seconds, double warmup) {
    return new LoadSettings(
        part.kind(),
        server.address(),
        part.connections(),
        1,
        TestDuration.of(isOnce() ? TestDuration.ENDLESS_SECONDS : seconds, isOnce() ? 0 : warmup),
        People.of(isOnce() ? Math.min(people, STANFORD_ENTRIES) : people),
        ServerProcess.account(part.kind()),
        server.pid(),
        JobOptions.DEFAULT);
  }
}
