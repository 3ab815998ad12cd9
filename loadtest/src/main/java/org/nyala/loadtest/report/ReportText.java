package org.nyala.loadtest.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.GcPauses;
import org.nyala.loadtest.result.KindReport;
import org.nyala.loadtest.result.LatencyTable;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.Percentile;
import org.nyala.loadtest.result.ResourceUse;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Replay;

/** The results of a test as text for people before a terminal. */
public final class ReportText {
  private static final String ROW = "  %-22s";
  private static final String FIGURE = "%12s";

  private ReportText() {}

  /** The final table of one job. */
  public static String of(LoadReport report) {
    LoadSettings settings = report.settings();
    StringBuilder out = new StringBuilder(1024);
    out.append(
        String.format(
            Locale.ROOT,
            "%s: %d connections, %d event loops, %s, %.1f s measured%n",
            settings.job().label(),
            settings.connections(),
            settings.threads(),
            loop(settings),
            report.seconds()));
    out.append(
        String.format(
            Locale.ROOT,
            "  %,.0f %s/s (%,d)%n",
            report.rate(),
            settings.job().unit(),
            report.units()));
    appendLatencies(out, report);
    appendProcess(out, "server", report.serverCpuMicros(), report.resources().server(), report);
    appendProcess(out, "client", report.clientCpuMicros(), report.resources().client(), report);
    GcPauses pauses = report.resources().gcPauses();
    out.append(
        "  client pauses: %d garbage collections, %d ms in all (part of the times above)%n"
            .formatted(pauses.count(), pauses.millis()));
    out.append("  load tester: ")
        .append(Disturbance.text(report.intervals()))
        .append(System.lineSeparator());
    out.append(
        String.format(
            Locale.ROOT,
            "  failed operations: %d, lost connections: %d%s%n",
            report.failedOperations(),
            report.lostConnections(),
            report.errors().isEmpty() ? "" : " " + report.errors()));
    if (!report.kinds().isEmpty()) {
      out.append(kinds(report).text(report.kinds()));
    }
    Replay replay = settings.options().replay();
    if (replay != null && !replay.leftOut().isEmpty()) {
      out.append("  left out of the log: ").append(leftOut(replay)).append(System.lineSeparator());
    }
    if (settings.job() == JobKind.MODIFY_EACH) {
      out.append(LatencyTable.of(report.corrected()).text());
    }
    return out.toString();
  }

  private static ReportTable<KindReport> kinds(LoadReport report) {
    return new ReportTable<KindReport>()
        .column("kind", kind -> kind.job().label())
        .column(
            "done",
            kind ->
                FigureText.whole((double) kind.units())
                    + (kind.job().countsEntries() ? " entries" : ""))
        .column(
            "per second",
            kind -> FigureText.whole(kind.ratedUnits() / report.throughput().seconds()))
        .column("mean µs", kind -> FigureText.whole(mean(kind.corrected())))
        .column("p50", kind -> plain(kind, Percentile.P50))
        .column("p90", kind -> plain(kind, Percentile.P90))
        .column("p99", kind -> plain(kind, Percentile.P99))
        .column("p99.9", kind -> plain(kind, Percentile.P999))
        .column("max", kind -> FigureText.whole(max(kind.corrected())))
        .column("failed", kind -> kind.errors().isEmpty() ? "0" : kind.errors().toString());
  }

  private static String plain(KindReport kind, Percentile percentile) {
    return FigureText.whole(percentile.micros(kind.corrected()));
  }

  private static double mean(Histogram nanos) {
    return nanos.getTotalCount() == 0 ? Double.NaN : nanos.getMean() / 1e3;
  }

  private static double max(Histogram nanos) {
    return nanos.getTotalCount() == 0 ? Double.NaN : nanos.getMaxValue() / 1e3;
  }

  /** The logged operations that could not be sent, in words. */
  private static String leftOut(Replay replay) {
    return replay.leftOut().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(kind -> FigureText.whole(kind.getValue()) + " " + kind.getKey())
        .collect(Collectors.joining(", "));
  }

  /** The pace of requests, in words. */
  private static String loop(LoadSettings settings) {
    LoadRate pace = settings.pace();
    if (settings.options().replay() != null) {
      return "at the times of the log";
    }
    return pace.isOpen()
        ? String.format(Locale.ROOT, "open loop at %s/s", FigureText.count(pace.rate()))
        : pace.depth() == 1 ? "closed loop" : "closed loop, " + pace.depth() + " deep";
  }

  private static void appendLatencies(StringBuilder out, LoadReport report) {
    out.append(ROW.formatted("latency, µs"));
    List.of("mean", "p50", "p90", "p99", "p99.9", "p99.99", "max")
        .forEach(name -> out.append(FIGURE.formatted(name)));
    out.append(System.lineSeparator());
    if (report.settings().isScheduled()) {
      appendRow(out, "from intended start", report.corrected());
      appendRow(out, "from actual send", report.uncorrected());
    } else {
      appendRow(out, "from send (closed)", report.corrected());
    }
  }

  private static void appendRow(StringBuilder out, String name, Histogram nanos) {
    out.append(ROW.formatted(name));
    out.append(figure(mean(nanos)));
    for (Percentile percentile :
        List.of(
            Percentile.P50, Percentile.P90, Percentile.P99, Percentile.P999, Percentile.P9999)) {
      out.append(figure(percentile.micros(nanos)));
    }
    out.append(figure(max(nanos)));
    out.append(System.lineSeparator());
  }

  private static String figure(double micros) {
    return FIGURE.formatted(FigureText.whole(micros));
  }

  private static void appendProcess(
      StringBuilder out, String who, double micros, ResourceUse use, LoadReport report) {
    if (use.cpuNanos() < 0) {
      return;
    }
    out.append(
        String.format(
            Locale.ROOT,
            "  %s CPU: %.2f µs each, %.2f cores",
            who,
            micros,
            use.cpuNanos() / 1e9 / report.seconds()));
    if (use.rssBytes() >= 0) {
      out.append(String.format(Locale.ROOT, "; %,d MiB resident", use.rssBytes() >> 20));
    }
    if (use.voluntarySwitches() >= 0) {
      out.append(
          String.format(
              Locale.ROOT,
              "; switches of threads: %,d to wait, %,d forced",
              use.voluntarySwitches(),
              use.involuntarySwitches()));
    }
    out.append(System.lineSeparator());
  }
}
