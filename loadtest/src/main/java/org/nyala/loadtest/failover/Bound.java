package org.nyala.loadtest.failover;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.loadtest.failover.Finding.Kind;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * A condition under which a test fails: {@code gap>2s}. Immutable.
 *
 * @param text the condition as it was given
 * @param figure the name of the figure
 * @param isUpper true if the test fails above the bound, false if it fails below
 * @param value the bound; of the gap in seconds
 */
record Bound(String text, String figure, boolean isUpper, double value) {
  private static final String EXPECTED =
      "a figure, < or > and a bound: lost, resurrected, half, unknown, differing, stale,"
          + " nonlinear or writes with a number, gap with ms or s. Such as gap>2s or differing>0";
  private static final Pattern FORM =
      Pattern.compile(
          "(?:(lost|resurrected|half|unknown|differing|stale|nonlinear|writes)\\s*([<>])\\s*"
              + "(\\d{1,12})|(gap)\\s*([<>])\\s*(\\d{1,9}(?:\\.\\d{1,6})?)\\s*(ms|s))");
  private static final Map<String, Double> SECONDS = Map.of("ms", 1e-3, "s", 1.0);

  /**
   * Reads a condition.
   *
   * @throws IllegalArgumentException if the text is none
   */
  static Bound parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    LoadSettings.require(form.matches(), "--fail-if", EXPECTED, text);
    if (form.group(4) == null) {
      return new Bound(
          text, form.group(1), form.group(2).equals(">"), Double.parseDouble(form.group(3)));
    }
    double seconds = Double.parseDouble(form.group(6)) * SECONDS.getOrDefault(form.group(7), 1.0);
    return new Bound(text, "gap", form.group(5).equals(">"), seconds);
  }

  /** Returns why a test fails, in one sentence; empty if it does not. */
  String failure(FailoverReport report) {
    double found = found(report);
    if (isUpper ? found <= value : found >= value) {
      return "";
    }
    String shown = figure.equals("gap") ? FigureText.latency(found * 1e6) : FigureText.whole(found);
    return String.format(
        Locale.ROOT, "failover: %s is %s, and the test fails if %s.", figure, shown, text);
  }

  private double found(FailoverReport report) {
    return switch (figure) {
      case "lost" -> report.lostCount();
      case "resurrected" -> report.changes().count(Kind.RESURRECTED);
      case "half" -> report.changes().count(Kind.HALF) + report.registers().halfReads();
      case "unknown" -> report.changes().unknown();
      case "differing" -> report.changes().count(Kind.DIFFERING);
      case "stale" -> report.registers().staleCount();
      case "nonlinear" -> report.registers().everywhere().size();
      case "writes" -> report.changes().acknowledged();
      default -> report.gap().seconds();
    };
  }
}
