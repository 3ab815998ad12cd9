package org.nyala.loadtest.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rate that changes in a test: phases at a rate each, or from one rate to another. The last rate
 * goes on after them. Immutable.
 */
public record RateProfile(List<Phase> phases) {
  /** The same rate from beginning to end. */
  public static final RateProfile STEADY = new RateProfile(List.of());

  private static final int MOST_PHASES = 1000;
  private static final double MOST_RATE = 1e8;
  private static final double MOST_SECONDS = 1e6;
  private static final double NEVER_NANOS = 1e18;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String NUMBER = "(\\d{1,9}(?:\\.\\d{1,9})?)";
  private static final Pattern RAMP = Pattern.compile(NUMBER + ":" + NUMBER + ":" + NUMBER + "s?");
  private static final Pattern STEP = Pattern.compile(NUMBER + ":" + NUMBER + "s?");

  /**
   * Some seconds in which the rate goes evenly from one value to another. Immutable.
   *
   * @param from operations a second at the beginning
   * @param to those at the end
   */
  public record Phase(double from, double to, double seconds) {
    double operations() {
      return (from + to) / 2 * seconds;
    }
  }

  public RateProfile {
    phases = List.copyOf(phases);
  }

  /**
   * Reads {@code 100:1000:60s}, from 100 to 1000 operations a second in a minute.
   *
   * @throws IllegalArgumentException if it is not such a text
   */
  public static RateProfile ramp(String text) {
    Matcher ramp = RAMP.matcher(text);
    boolean isRamp = ramp.matches();
    LoadSettings.require(isRamp, "--ramp", "FROM:TO:SECONDS such as 100:1000:60s", text);
    return checked(
        "--ramp", text, List.of(new Phase(number(ramp, 1), number(ramp, 2), number(ramp, 3))));
  }

  /**
   * Reads {@code 100:10s,200:10s}: ten seconds at each of two rates.
   *
   * @throws IllegalArgumentException if it is not such a text
   */
  public static RateProfile steps(String text) {
    List<Phase> phases = new ArrayList<>();
    for (String one : text.split(",", -1)) {
      Matcher step = STEP.matcher(one.strip());
      LoadSettings.require(
          step.matches(), "--steps", "a list of RATE:SECONDS such as 100:10s,200:10s", text);
      phases.add(new Phase(number(step, 1), number(step, 1), number(step, 2)));
    }
    return checked("--steps", text, phases);
  }

  private static double number(Matcher matcher, int group) {
    return Double.parseDouble(matcher.group(group));
  }

  private static RateProfile checked(String option, String text, List<Phase> phases) {
    RateProfile profile = new RateProfile(phases);
    boolean isInRange =
        phases.size() <= MOST_PHASES
            && profile.seconds() <= MOST_SECONDS
            && phases.stream().allMatch(p -> p.seconds > 0 && Math.max(p.from, p.to) <= MOST_RATE);
    LoadSettings.require(
        isInRange && profile.meanRate() > 0,
        option,
        "at most 1000 phases above 0 s and 1000000 s together, with rates up to 100000000 that are"
            + " not all 0",
        text);
    return profile;
  }

  /** Returns whether the rate does not change. */
  public boolean isSteady() {
    return phases.isEmpty();
  }

  /** The length of all phases together. */
  public double seconds() {
    return phases.stream().mapToDouble(Phase::seconds).sum();
  }

  /** The mean rate of all phases. */
  public double meanRate() {
    return phases.stream().mapToDouble(Phase::operations).sum() / seconds();
  }

  double lowestRate() {
    return phases.stream().mapToDouble(p -> Math.min(p.from, p.to)).min().orElse(0);
  }

  /** The same after some seconds at the first rate. */
  RateProfile after(double warmupSeconds) {
    if (warmupSeconds <= 0) {
      return this;
    }
    List<Phase> all = new ArrayList<>();
    double first = phases.getFirst().from;
    all.add(new Phase(first, first, warmupSeconds));
    all.addAll(phases);
    return new RateProfile(all);
  }

  /**
   * The moment at which so many operations are due, in nanoseconds from the beginning: the inverse
   * of the integral of the rate.
   */
  double nanos(double operations) {
    double rest = operations;
    double seconds = 0;
    for (Phase phase : phases) {
      double all = phase.operations();
      if (rest < all) {
        return NANOS_PER_SECOND * (seconds + secondsOf(phase, rest));
      }
      rest -= all;
      seconds += phase.seconds;
    }
    double last = phases.getLast().to;
    return last == 0 ? NEVER_NANOS : NANOS_PER_SECOND * (seconds + rest / last);
  }

  /** Solves {@code from t + slope t² / 2 = operations} in the form that loses no digits. */
  private static double secondsOf(Phase phase, double operations) {
    double slope = (phase.to - phase.from) / phase.seconds;
    double root = Math.sqrt(Math.max(0, phase.from * phase.from + 2 * slope * operations));
    double divisor = phase.from + root;
    return divisor == 0 ? 0 : 2 * operations / divisor;
  }
}
