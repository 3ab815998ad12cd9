package org.nyala.loadtest.result;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Locale;
import org.nyala.loadtest.format.JsonNumber;

/**
 * The delays in an interval that are the load tester's own, not the server's, but are in the times
 * that it reports. Immutable.
 *
 * @param lagMillis the greatest delay of the start of an operation of a schedule though a client
 *     was free
 * @param stallMillis the greatest delay with which one of its event loops came to a task of its
 *     own: it was busy, waited for a processor, or garbage was collected
 * @param stolenPercent the part of the processors' time that the host of a virtual machine took
 */
public record Disturbance(double lagMillis, double stallMillis, double stolenPercent) {
  public static final Disturbance NONE = new Disturbance(0, 0, 0);

  /** The bound of a delay, in milliseconds; a longer one makes answers look late that were not. */
  static final double MOST_MILLIS = 20;

  /** The bound of stolen time; more than this makes the machine behave like a slower one. */
  static final double MOST_STOLEN_PERCENT = 5;

  /** The part of the intervals that may be disturbed before the whole test counts as disturbed. */
  private static final double MOST_INTERVALS = 0.1;

  /** Returns whether a bound is exceeded. */
  public boolean isTooMuch() {
    return lagMillis > MOST_MILLIS
        || stallMillis > MOST_MILLIS
        || stolenPercent > MOST_STOLEN_PERCENT;
  }

  /** The longer of both delays, in milliseconds. */
  double lateMillis() {
    return Math.max(lagMillis, stallMillis);
  }

  /** The delays in words. */
  String delays() {
    return String.format(
        Locale.ROOT,
        "the load tester began operations up to %.0f ms late and read answers up to %.0f ms late",
        lagMillis,
        stallMillis);
  }

  /** The worse of two, figure by figure. */
  public Disturbance worse(Disturbance other) {
    return new Disturbance(
        Math.max(lagMillis, other.lagMillis),
        Math.max(stallMillis, other.stallMillis),
        Math.max(stolenPercent, other.stolenPercent));
  }

  static Disturbance worst(List<IntervalSample> intervals) {
    return intervals.stream().map(IntervalSample::disturbance).reduce(NONE, Disturbance::worse);
  }

  /** The number of disturbed intervals. */
  public static long count(List<IntervalSample> intervals) {
    return intervals.stream().filter(sample -> sample.disturbance().isTooMuch()).count();
  }

  /** Returns whether so many intervals are disturbed that the whole test is. */
  static boolean isTooOften(List<IntervalSample> intervals) {
    return count(intervals) > MOST_INTERVALS * intervals.size();
  }

  /** The worst of intervals, and the number of disturbed ones, in words. */
  public static String text(List<IntervalSample> intervals) {
    Disturbance worst = worst(intervals);
    return String.format(
        Locale.ROOT,
        "began operations up to %.1f ms late, read answers up to %.1f ms late, lost up to %.1f %%"
            + " of the processors to the host; too much in %d of %d intervals",
        worst.lagMillis,
        worst.stallMillis,
        worst.stolenPercent,
        count(intervals),
        intervals.size());
  }

  /** Returns what a test that was disturbed too often is worth, in words. */
  public static String warning(List<IntervalSample> intervals) {
    Disturbance worst = worst(intervals);
    double late = worst.lateMillis();
    return late > MOST_MILLIS
        ? String.format(
            Locale.ROOT,
            "this machine was too busy: take the rate as a lower bound and the times as an upper"
                + " one (the load tester was up to %.0f ms late)",
            late)
        : String.format(
            Locale.ROOT,
            "the host of this machine took up to %.0f %% of its processors: take the rate as a"
                + " lower bound and the times as an upper one",
            worst.stolenPercent);
  }

  /** The same for programs. */
  public static JsonObject json(List<IntervalSample> intervals) {
    Disturbance worst = worst(intervals);
    JsonObject json = new JsonObject();
    json.add("lagMillis", JsonNumber.of(worst.lagMillis));
    json.add("stallMillis", JsonNumber.of(worst.stallMillis));
    json.add("stolenPercent", JsonNumber.of(worst.stolenPercent));
    json.addProperty("intervals", intervals.size());
    json.addProperty("disturbedIntervals", count(intervals));
    return json;
  }
}
