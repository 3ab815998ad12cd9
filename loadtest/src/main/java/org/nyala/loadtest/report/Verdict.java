package org.nyala.loadtest.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;

/** The result of a test in one sentence, with which reports begin. Stateless. */
public final class Verdict {
  /**
   * The figures of a server, or of the only one. Immutable.
   *
   * @param rate the rate in words
   * @param p50Micros the median of its times, in microseconds; NaN if there are none
   * @param p99Micros their 99th percentile, likewise
   */
  public record Reached(String rate, double p50Micros, double p99Micros) {
    /** Returns the figures of one report; the job that sends nothing has no times. */
    public static Reached of(String rate, LoadReport report) {
      boolean isTimed = report.settings().job() != JobKind.IDLE;
      return new Reached(
          rate,
          isTimed ? report.latencyMicros(50) : Double.NaN,
          isTimed ? report.latencyMicros(99) : Double.NaN);
    }

    private String text() {
      return Double.isNaN(p50Micros)
          ? rate
          : rate
              + ", half of them within "
              + FigureText.latency(p50Micros)
              + " and 99 of 100 within "
              + FigureText.latency(p99Micros);
    }
  }

  private Verdict() {}

  /** Returns the rate and the times that were reached, what failed, and whether it is reliable. */
  static String of(LoadReport report) {
    String rate = report.settings().job().label() + ": " + rate(report.rate(), report);
    return of(List.of(Reached.of(rate, report)), report.errors(), Reservations.of(report).text());
  }

  /** Returns a rate in the unit of a job. */
  public static String rate(double rate, LoadReport report) {
    return String.format(
        Locale.ROOT, "%s %s/s", FigureText.whole(rate), report.settings().job().unit());
  }

  /**
   * Returns the figures of servers, one after the other, what failed at any of them, and whether
   * they are reliable.
   *
   * @param disturbed the intervals of the tests that were disturbed too often; empty if none was
   */
  public static String of(
      List<Reached> reached, Map<String, Long> errors, List<IntervalSample> disturbed) {
    return of(reached, errors, disturbed.isEmpty() ? "" : Disturbance.warning(disturbed));
  }

  private static String of(List<Reached> reached, Map<String, Long> errors, String trust) {
    List<String> parts =
        reached.stream().map(Reached::text).collect(Collectors.toCollection(ArrayList::new));
    parts.add(errors.isEmpty() ? "nothing failed" : "failed: " + ErrorText.of(errors));
    if (!trust.isEmpty()) {
      parts.add(trust);
    }
    return String.join("; ", parts) + '.';
  }
}
