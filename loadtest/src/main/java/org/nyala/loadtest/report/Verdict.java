package org.nyala.loadtest.report;

import java.util.Locale;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;

/** The result of a job in one sentence, with which reports begin. Stateless. */
final class Verdict {
  private Verdict() {}

  /** Returns the rate and the times that were reached, what failed, and whether it is reliable. */
  static String of(LoadReport report) {
    StringBuilder out = new StringBuilder(200);
    out.append(
        String.format(
            Locale.ROOT,
            "%s: %s %s/s",
            report.settings().job().label(),
            FigureText.whole(report.rate()),
            report.settings().job().unit()));
    if (report.corrected().getTotalCount() > 0 && report.settings().job() != JobKind.IDLE) {
      out.append(", half of them within ")
          .append(FigureText.latency(report.latencyMicros(50)))
          .append(" and 99 of 100 within ")
          .append(FigureText.latency(report.latencyMicros(99)));
    }
    out.append(
        report.errorCount() == 0
            ? "; nothing failed"
            : "; failed: " + ErrorText.of(report.errors()));
    if (report.isDisturbed()) {
      out.append("; ").append(Disturbance.warning(report.intervals()));
    }
    return out.append('.').toString();
  }
}
