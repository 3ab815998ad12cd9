package org.nyala.loadtest.cli;

import java.util.ArrayList;
import java.util.List;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * The search for the highest rate that a server holds: the rate is doubled until a bound is passed,
 * then halved in between. A failed try is repeated once, since a machine may hiccup, and repeated
 * further as often as the tester itself was held up. A rate near the bound may pass a short try by
 * luck, the more often it is tried; so the result must be held in a longer try as well, or in two
 * of three, or a lower rate is looked for by longer tries. Confined to one thread.
 */
public final class KneeSearch {
  /** The part of the wanted rate from which on the rate that was reached counts as that rate. */
  static final double ENOUGH = 0.97;

  private static final double LOWEST_RATE = 1;
  private static final int TRIES = 2;

  /** The most repetitions of a try that failed while the tester was held up. */
  private static final int DISTURBED_TRIES = 3;

  /**
   * The bounds within which a rate counts as held. Immutable.
   *
   * @param p99Micros the greatest p99 of the latency from the intended start, in microseconds
   * @param errorPercent the greatest share of operations that end with an error, 0 to 100
   * @param precision the greatest distance at the end between the highest rate held and the lowest
   *     one not held, as a part of the former, above 0
   */
  public record Bounds(double p99Micros, double errorPercent, double precision) {
    public Bounds {
      LoadSettings.require(p99Micros > 0, "--knee-p99-ms", "above 0", p99Micros / 1e3);
      LoadSettings.require(
          errorPercent >= 0 && errorPercent <= 100, "--knee-errors", "from 0 to 100", errorPercent);
      LoadSettings.require(
          precision > 0 && precision < 1,
          "--knee-precision",
          "above 0 and below 100",
          FigureText.trimmed(100 * precision));
    }
  }

  /**
   * The behaviour of a server at a rate. Immutable.
   *
   * @param isDisturbed true if the tester was held up meanwhile
   */
  public record Sample(
      double rate, double p50Micros, double p99Micros, double errorPercent, boolean isDisturbed) {}

  /**
   * One try. Immutable.
   *
   * @param isLong true for a longer try, which decides
   * @param verdict the bound that was passed; empty for none
   */
  public record Step(double wantedRate, boolean isLong, Sample sample, String verdict) {
    /** Returns whether no bound was passed. */
    public boolean isHeld() {
      return verdict.isEmpty();
    }
  }

  /**
   * The result of a search. Immutable.
   *
   * @param rate the highest rate held, in a longer try too; 0 if not even the lowest one was
   * @param isLimit true if no higher rate was tried because none was allowed
   * @param isCut true if the time was over before the search was; the rate may not have been held
   *     in a longer try then
   * @param steps every try, in order
   */
  public record Knee(double rate, boolean isLimit, boolean isCut, List<Step> steps) {}

  /** The end of a search whose time is over. */
  private static final class TimeOver extends Exception {
    private static final long serialVersionUID = 1;

    TimeOver() {
      super("no time for another try", null, false, false);
    }
  }

  /** Puts a rate on a server for a while. */
  @FunctionalInterface
  interface Load {
    /**
     * Puts a rate, in operations a second, on the server and returns the result.
     *
     * @param isLong true to try for longer than usual
     */
    Sample at(double rate, boolean isLong) throws LoadTestException, InterruptedException;

    /** Returns whether there is time for a try, which is so if time has no bound. */
    default boolean isTimeFor(boolean isLong) {
      return true;
    }
  }

  private final Bounds bounds;
  private final Load load;
  private final List<Step> steps = new ArrayList<>();

  KneeSearch(Bounds bounds, Load load) {
    this.bounds = bounds;
    this.load = load;
  }

  /**
   * Searches.
   *
   * @param first the first rate to try, at least 1
   * @param highest the highest rate to try, at least {@code first}
   */
  Knee search(double first, double highest) throws LoadTestException, InterruptedException {
    try {
      return searched(first, highest);
    } catch (TimeOver e) {
      return new Knee(heldSoFar(), false, true, List.copyOf(steps));
    }
  }

  /** The highest rate held below the lowest one that was not held in a longer try. */
  private double heldSoFar() {
    double failed =
        steps.stream()
            .filter(step -> step.isLong() && !step.isHeld())
            .mapToDouble(Step::wantedRate)
            .min()
            .orElse(Double.POSITIVE_INFINITY);
    return steps.stream()
        .filter(step -> step.isHeld() && step.wantedRate() < failed)
        .mapToDouble(Step::wantedRate)
        .max()
        .orElse(0);
  }

  private Knee searched(double first, double highest)
      throws LoadTestException, InterruptedException, TimeOver {
    double held = first;
    double failed = Double.POSITIVE_INFINITY;
    while (!holds(held)) {
      failed = held;
      held = held / 2;
      if (held < LOWEST_RATE) {
        return new Knee(0, false, false, List.copyOf(steps));
      }
    }
    while (failed == Double.POSITIVE_INFINITY && held < highest) {
      double next = Math.min(highest, 2 * held);
      if (holds(next)) {
        held = next;
      } else {
        failed = next;
      }
    }
    while (failed != Double.POSITIVE_INFINITY && failed - held > bounds.precision() * held) {
      double middle = Math.rint((held + failed) / 2);
      if (middle <= held || middle >= failed) {
        break;
      }
      if (holds(middle)) {
        held = middle;
      } else {
        failed = middle;
      }
    }
    return confirmed(held, failed == Double.POSITIVE_INFINITY);
  }

  /**
   * Returns the highest rate that is held in a longer try: the rate found, or else a lower one, for
   * which larger and larger steps are taken down, and half of the last one up again as often as the
   * precision asks.
   */
  private Knee confirmed(double found, boolean isLimit)
      throws LoadTestException, InterruptedException, TimeOver {
    double held = found;
    double failed = Double.POSITIVE_INFINITY;
    double step = bounds.precision();
    while (!holdsForLong(held)) {
      failed = held;
      held = Math.floor(held / (1 + step));
      step *= 2;
      if (held < LOWEST_RATE) {
        return new Knee(0, false, false, List.copyOf(steps));
      }
    }
    while (failed != Double.POSITIVE_INFINITY && failed - held > 2 * bounds.precision() * held) {
      double middle = Math.rint((held + failed) / 2);
      if (middle <= held || middle >= failed) {
        break;
      }
      if (holdsForLong(middle)) {
        held = middle;
      } else {
        failed = middle;
      }
    }
    return new Knee(held, isLimit && held == found, false, List.copyOf(steps));
  }

  private boolean holds(double rate) throws LoadTestException, InterruptedException, TimeOver {
    for (int i = 0; i < TRIES; i++) {
      if (tryAt(rate, false)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Tries for longer. A failure is repeated before it is believed, since the way down has no way
   * back; but a second chance alone would make a search believe in a rate that is too high, so that
   * a third try decides.
   */
  private boolean holdsForLong(double rate)
      throws LoadTestException, InterruptedException, TimeOver {
    if (tryAt(rate, true)) {
      return true;
    }
    for (int i = 0; i < TRIES; i++) {
      if (!tryAt(rate, true)) {
        return false;
      }
    }
    return true;
  }

  /** Tries, and repeats the try a few times if it fails while the tester is held up. */
  private boolean tryAt(double rate, boolean isLong)
      throws LoadTestException, InterruptedException, TimeOver {
    boolean isHeld = tryOnce(rate, isLong);
    for (int i = 0; i < DISTURBED_TRIES && !isHeld && isLastDisturbed(); i++) {
      isHeld = tryOnce(rate, isLong);
    }
    return isHeld;
  }

  private boolean isLastDisturbed() {
    return steps.getLast().sample().isDisturbed();
  }

  private boolean tryOnce(double rate, boolean isLong)
      throws LoadTestException, InterruptedException, TimeOver {
    if (!load.isTimeFor(isLong)) {
      throw new TimeOver();
    }
    Sample sample = load.at(rate, isLong);
    Step step = new Step(rate, isLong, sample, verdict(rate, sample));
    steps.add(step);
    return step.isHeld();
  }

  /**
   * The bound that was passed; empty for none. A figure that is not a number passes every bound.
   */
  private String verdict(double rate, Sample sample) {
    if (!(sample.errorPercent() <= bounds.errorPercent())) {
      return "errors";
    }
    if (!(sample.p99Micros() <= bounds.p99Micros())) {
      return "p99";
    }
    return sample.rate() >= ENOUGH * rate ? "" : "rate not reached";
  }
}
