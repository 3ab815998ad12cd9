package org.nyala.loadtest.report;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.Percentile;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * A condition under which a test fails: {@code p99>5ms}. Immutable.
 *
 * @param text the condition as it was given
 * @param figure the name of the figure
 * @param isUpper true if the test fails above the bound, false if it fails below
 * @param bound the bound; of times in microseconds
 */
record Condition(String text, String figure, boolean isUpper, double bound) {
  private static final Pattern FORM =
      Pattern.compile("([a-z][a-z0-9.]*)\\s*([<>])\\s*(\\d{1,15}(?:\\.\\d{1,9})?)\\s*(us|ms|s|%)?");
  private static final Map<String, Double> MICROS = Map.of("us", 1.0, "ms", 1e3, "s", 1e6);
  private static final String EXPECTED =
      "a figure, a bound and its unit: p50, p75, p90, p95, p99, p99.9, p99.99, mean or max with us,"
          + " ms or s; rate; errors; failed with %. Such as p99>5ms or rate<1000";

  /**
   * Reads a condition.
   *
   * @throws IllegalArgumentException if the text is none
   */
  static Condition parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    LoadSettings.require(form.matches(), "--fail-if", EXPECTED, text);
    String figure = form.group(1);
    String unit = form.group(4);
    boolean isTime = !figure.equals("rate") && !figure.equals("errors") && !figure.equals("failed");
    boolean isKnown =
        isTime
            ? isTime(figure) && MICROS.containsKey(String.valueOf(unit))
            : figure.equals("failed") ? "%".equals(unit) : unit == null;
    LoadSettings.require(isKnown, "--fail-if", EXPECTED, text);
    double bound = Double.parseDouble(form.group(3));
    return new Condition(
        text, figure, form.group(2).equals(">"), isTime ? bound * micros(unit) : bound);
  }

  private static double micros(String unit) {
    return MICROS.getOrDefault(unit, 1.0);
  }

  private static boolean isTime(String figure) {
    return figure.equals("mean") || figure.equals("max") || percentile(figure).isPresent();
  }

  private static Optional<Percentile> percentile(String figure) {
    for (Percentile percentile : Percentile.values()) {
      if (percentile.label().equals(figure)) {
        return Optional.of(percentile);
      }
    }
    return Optional.empty();
  }

  /** Returns why a test fails, in one sentence; empty if it does not. */
  Optional<String> failure(LoadReport report) {
    double value = value(report);
    if (isUpper ? value <= bound : value >= bound) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "%s: %s %s, and the test fails if %s.",
            report.settings().job().label(),
            figure,
            Double.isNaN(value)
                ? "is not known, since no operation ended rightly"
                : "is " + shown(value),
            text));
  }

  private double value(LoadReport report) {
    return switch (figure) {
      case "rate" -> report.rate();
      case "errors" -> report.errorCount();
      case "failed" -> report.failedShare() * 100;
      case "mean" ->
          report.corrected().getTotalCount() == 0 ? Double.NaN : report.corrected().getMean() / 1e3;
      case "max" -> report.latencyMicros(100);
      default -> percentile(figure).map(p -> p.micros(report.corrected())).orElse(Double.NaN);
    };
  }

  private String shown(double value) {
    return switch (figure) {
      case "rate" -> FigureText.whole(value) + "/s";
      case "errors" -> FigureText.whole(value);
      case "failed" -> FigureText.decimal(value, 3) + " %";
      default -> FigureText.latency(value);
    };
  }
}
