package org.nyala.loadtest.result;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.JsonNumber;

/**
 * Disturbed intervals in a row: when they were, and what the load tester knows about their cause.
 * Immutable.
 *
 * @param fromSeconds the beginning, from the beginning of the measured period
 * @param toSeconds the end
 * @param worst the worst delays
 * @param pauses the pauses of the tester's garbage collector
 * @param othersCores the most processors that other processes used in an interval; NaN if not known
 */
public record DisturbedSpan(
    double fromSeconds, double toSeconds, Disturbance worst, GcPauses pauses, double othersCores) {
  /** The processors below which other processes are no cause of anything. */
  private static final double FEWEST_CORES = 0.1;

  /** The part of a delay from which on collections explain it. */
  private static final double EXPLAINING = 0.5;

  /** Finds the disturbed intervals of a test; those that follow one another are one span. */
  public static List<DisturbedSpan> of(List<IntervalSample> intervals) {
    List<DisturbedSpan> spans = new ArrayList<>();
    boolean isInRow = false;
    for (IntervalSample sample : intervals) {
      boolean isDisturbed = sample.disturbance().isTooMuch();
      if (isDisturbed) {
        DisturbedSpan own = of(sample);
        spans.add(isInRow ? spans.removeLast().and(own) : own);
      }
      isInRow = isDisturbed;
    }
    return List.copyOf(spans);
  }

  private static DisturbedSpan of(IntervalSample sample) {
    return new DisturbedSpan(
        sample.startSeconds(),
        sample.startSeconds() + sample.seconds(),
        sample.disturbance(),
        sample.pauses(),
        sample.othersCores());
  }

  private DisturbedSpan and(DisturbedSpan next) {
    return new DisturbedSpan(
        fromSeconds,
        next.toSeconds,
        worst.worse(next.worst),
        pauses.and(next.pauses),
        Math.max(othersCores, next.othersCores));
  }

  /**
   * The seconds, what was delayed, and what may have caused it.
   *
   * @param isServerKnown false if the server may be among the other processes
   */
  public String text(boolean isServerKnown) {
    List<String> causes = new ArrayList<>();
    boolean isExplained = pauses.millis() >= EXPLAINING * worst.lateMillis();
    if (pauses.count() > 0) {
      causes.add(
          String.format(
              Locale.ROOT,
              "its garbage collector paused it %s, %d ms in all",
              pauses.count() == 1 ? "once" : pauses.count() + " times",
              pauses.millis()));
    }
    if (othersCores >= FEWEST_CORES) {
      causes.add(
          String.format(
              Locale.ROOT,
              "other processes%s used up to %.1f processors",
              isServerKnown ? "" : " (the server too, if it runs here)",
              othersCores));
    }
    if (worst.stolenPercent() > Disturbance.MOST_STOLEN_PERCENT) {
      causes.add(
          String.format(
              Locale.ROOT, "the host took %.1f %% of the processors", worst.stolenPercent()));
    } else if (causes.isEmpty() || !isExplained && othersCores < FEWEST_CORES) {
      causes.add("the cause is not known: it was stopped, or waited for a processor");
    }
    return String.format(
        Locale.ROOT,
        "second %s to %s: %s; %s",
        seconds(fromSeconds),
        seconds(toSeconds),
        worst.delays(),
        String.join("; ", causes));
  }

  private static String seconds(double value) {
    return FigureText.trimmed(Math.rint(value * 100) / 100);
  }

  /** The same for programs. */
  public JsonObject json(boolean isServerKnown) {
    JsonObject json = new JsonObject();
    json.add("fromSeconds", JsonNumber.of(fromSeconds));
    json.add("toSeconds", JsonNumber.of(toSeconds));
    json.add("lagMillis", JsonNumber.of(worst.lagMillis()));
    json.add("stallMillis", JsonNumber.of(worst.stallMillis()));
    json.add("stolenPercent", JsonNumber.of(worst.stolenPercent()));
    json.addProperty("gcPauses", pauses.count());
    json.addProperty("gcMillis", pauses.millis());
    json.add("othersCores", JsonNumber.of(othersCores));
    json.addProperty("text", text(isServerKnown));
    return json;
  }
}
