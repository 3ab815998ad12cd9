package org.nyala.loadtest.report;

import java.util.List;
import java.util.Locale;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.result.LoadReport;

/**
 * The measured period interval by interval, one line for each job and interval: operations, units
 * and errors of a job's lines add up to the figures of its report.
 */
public final class IntervalsCsv {
  /** The names of the columns. */
  static final String HEADER =
      "job,start_seconds,seconds,operations,units,errors,units_per_second,"
          + "p50_us,p99_us,p999_us,max_us,"
          + "uncorrected_p50_us,uncorrected_p99_us,uncorrected_p999_us,uncorrected_max_us,"
          + "server_cpu_us,client_cpu_us,server_rss_bytes,"
          + "lag_ms,stall_ms,stolen_percent,gc_pauses,gc_ms,others_cores,disturbed";

  private IntervalsCsv() {}

  /** The file's text; unknown figures are empty. */
  public static String of(List<LoadReport> reports) {
    StringBuilder out = new StringBuilder(4096).append(HEADER).append('\n');
    for (LoadReport report : reports) {
      String job = report.settings().job().label();
      report.intervals().forEach(sample -> append(out, job, sample));
    }
    return out.toString();
  }

  private static void append(StringBuilder out, String job, IntervalSample sample) {
    out.append(job);
    number(out, sample.startSeconds());
    number(out, sample.seconds());
    out.append(',').append(sample.operations());
    out.append(',').append(sample.units());
    out.append(',').append(sample.errors());
    number(out, sample.rate());
    times(out, sample.corrected());
    times(out, sample.uncorrected());
    number(out, micros(sample.serverCpuNanos()));
    number(out, micros(sample.clientCpuNanos()));
    out.append(',');
    if (sample.serverRssBytes() >= 0) {
      out.append(sample.serverRssBytes());
    }
    Disturbance disturbance = sample.disturbance();
    number(out, disturbance.lagMillis());
    number(out, disturbance.stallMillis());
    number(out, disturbance.stolenPercent());
    out.append(',').append(sample.pauses().count());
    out.append(',').append(sample.pauses().millis());
    number(out, sample.othersCores());
    out.append(',').append(disturbance.isTooMuch()).append('\n');
  }

  private static void times(StringBuilder out, IntervalSample.Times times) {
    number(out, times.p50Micros());
    number(out, times.p99Micros());
    number(out, times.p999Micros());
    number(out, times.maxMicros());
  }

  private static double micros(long nanos) {
    return nanos < 0 ? Double.NaN : nanos / 1e3;
  }

  private static void number(StringBuilder out, double value) {
    out.append(',');
    if (Double.isFinite(value)) {
      out.append(String.format(Locale.ROOT, "%.3f", value));
    }
  }
}
