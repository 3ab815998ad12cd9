package org.nyala.loadtest.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.DisturbedSpan;
import org.nyala.loadtest.result.GcPauses;
import org.nyala.loadtest.result.KindReport;
import org.nyala.loadtest.result.LatencyTable;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.Occurrence;
import org.nyala.loadtest.result.Percentile;
import org.nyala.loadtest.result.ResourceUse;
import org.nyala.loadtest.result.ServerReport;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Replay;

/** The results of a test as text for people before a terminal. */
public final class ReportText {
  private static final List<Percentile> PERCENTILES =
      List.of(Percentile.P50, Percentile.P90, Percentile.P99, Percentile.P999, Percentile.P9999);

  /** The number of disturbed spans that a terminal shows. */
  private static final int MOST_SPANS = 10;

  private static final String CLOSED = "closed loop (next request after the last answer)";

  private ReportText() {}

  /** The final table of one job. */
  public static String of(LoadReport report) {
    LoadSettings settings = report.settings();
    StringBuilder out = new StringBuilder(1024);
    out.append(Verdict.of(report)).append(System.lineSeparator());
    out.append(head(settings, report.seconds()));
    out.append(
        String.format(
            Locale.ROOT,
            "  %,.0f %s/s (%,d)%n",
            report.rate(),
            settings.job().unit(),
            report.units()));
    out.append(latencies(report));
    appendProcess(out, "server", report.serverCpuMicros(), report.resources().server(), report);
    appendProcess(out, "client", report.clientCpuMicros(), report.resources().client(), report);
    GcPauses pauses = report.resources().gcPauses();
    out.append(
        String.format(
            Locale.ROOT,
            "  client pauses: %d garbage collections, %d ms in all (part of the times above)%n",
            pauses.count(),
            pauses.millis()));
    out.append("  load tester: ")
        .append(Disturbance.text(report.intervals()))
        .append(System.lineSeparator());
    disturbed(report).forEach(line -> out.append(line).append(System.lineSeparator()));
    out.append(
        String.format(
            Locale.ROOT,
            "  failed operations: %d, lost connections: %d%s%n",
            report.failedOperations(),
            report.lostConnections(),
            report.errors().isEmpty() ? "" : " (" + ErrorText.of(report.errors()) + ")"));
    report.logins().ifPresent(logins -> out.append(logins(report, logins)));
    out.append(handshakes(report));
    report
        .count(Occurrence.FOLLOWED_REFERRAL)
        .ifPresent(
            hops -> out.append(String.format(Locale.ROOT, "  referrals followed: %,d%n", hops)));
    if (!report.wrongExample().isEmpty()) {
      out.append("  a wrong answer: ").append(report.wrongExample()).append(System.lineSeparator());
    }
    if (!report.servers().isEmpty()) {
      out.append(servers(report).text(report.servers()));
    }
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

  private static String head(LoadSettings settings, double seconds) {
    return String.format(
        Locale.ROOT,
        "%s: %s, %s, %s, %.1f s measured%n",
        settings.job().label(),
        counted(settings.connections(), "connection"),
        counted(settings.threads(), "event loop"),
        loop(settings),
        seconds);
  }

  /** The disturbed intervals in words, the first ones of many. */
  private static List<String> disturbed(LoadReport report) {
    List<DisturbedSpan> spans = DisturbedSpan.of(report.intervals());
    boolean isServerKnown = report.settings().pid() != 0;
    List<String> lines = new ArrayList<>();
    spans.stream().limit(MOST_SPANS).forEach(span -> lines.add("    " + span.text(isServerKnown)));
    if (spans.size() > MOST_SPANS) {
      lines.add("    and " + (spans.size() - MOST_SPANS) + " more: see disturbances in the JSON");
    }
    return lines;
  }

  /** The share of first logins, which a server with slow hashes answers more slowly. */
  private static String logins(LoadReport report, long logins) {
    long first = report.count(Occurrence.FIRST_LOGIN).orElse(0);
    return String.format(
        Locale.ROOT,
        "  logins: %,d, of which %,d were the first one of a person%s%n",
        logins,
        first,
        first * 100 > logins
            ? " (a server that remembers logins answers these more slowly: give it more time for"
                + " them with --first-logins, or take fewer people)"
            : "");
  }

  /** The handshakes of TLS; empty if there were none, as over connections that stay open. */
  private static String handshakes(LoadReport report) {
    long all = report.count(Occurrence.HANDSHAKE).orElse(0);
    return all == 0
        ? ""
        : String.format(
            Locale.ROOT,
            "  handshakes of TLS: %,d, of which %,d resumed a session%n",
            all,
            report.count(Occurrence.RESUMED_HANDSHAKE).orElse(0));
  }

  private static ReportTable<ServerReport> servers(LoadReport report) {
    return new ReportTable<ServerReport>()
        .column("server", server -> ResultJson.url(report.settings(), server.server()))
        .column("connections", server -> FigureText.whole(server.connections()))
        .column("done", server -> FigureText.whole((double) server.operations()))
        .column(
            "per second",
            server -> FigureText.whole(server.operations() / report.throughput().seconds()))
        .column("failed", server -> FigureText.whole((double) server.failed()))
        .column("lost connections", server -> FigureText.whole((double) server.lost()));
  }

  private static ReportTable<KindReport> kinds(LoadReport report) {
    ReportTable<KindReport> table =
        new ReportTable<KindReport>()
            .column("kind", kind -> kind.job().label())
            .column(
                "done",
                kind ->
                    FigureText.whole((double) kind.units())
                        + (kind.job().countsEntries() ? " entries" : ""))
            .column(
                "per second",
                kind -> FigureText.whole(kind.ratedUnits() / report.throughput().seconds()));
    return times(table, KindReport::corrected)
        .column("failed", kind -> kind.errors().isEmpty() ? "0" : ErrorText.of(kind.errors()));
  }

  private static String latencies(LoadReport report) {
    Map<String, Histogram> rows = new LinkedHashMap<>();
    if (report.settings().isScheduled()) {
      rows.put("  from intended start", report.corrected());
      rows.put("  from actual send", report.uncorrected());
    } else {
      boolean isLag = report.settings().job() == JobKind.FOLLOW;
      rows.put(isLag ? "  behind the change" : "  since the request", report.corrected());
    }
    return times(
            new ReportTable<Map.Entry<String, Histogram>>().column("  latency", Map.Entry::getKey),
            Map.Entry::getValue)
        .text(rows.entrySet());
  }

  private static <T> ReportTable<T> times(ReportTable<T> table, Function<T, Histogram> nanos) {
    table.column("mean, µs", row -> FigureText.whole(mean(nanos.apply(row))));
    for (Percentile percentile : PERCENTILES) {
      table.column(
          percentile.label(), row -> FigureText.whole(percentile.micros(nanos.apply(row))));
    }
    return table.column("max", row -> FigureText.whole(max(nanos.apply(row))));
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

  /** A count with its noun in the right number. */
  static String counted(int count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  /** The pace of requests, in words. */
  private static String loop(LoadSettings settings) {
    LoadRate pace = settings.pace();
    if (settings.options().replay() != null) {
      return "at the times of the log";
    }
    String flow = pace.flow().inWords();
    return (pace.isOpen()
            ? String.format(Locale.ROOT, "open loop at %s/s", FigureText.count(pace.rate()))
            : pace.depth() == 1 ? CLOSED : CLOSED + ", " + pace.depth() + " deep")
        + (flow.isEmpty() ? "" : ", " + flow);
  }

  private static void appendProcess(
      StringBuilder out, String who, double micros, ResourceUse use, LoadReport report) {
    if (use.cpuNanos() < 0) {
      return;
    }
    out.append(
        String.format(
            Locale.ROOT,
            "  %s CPU: %s, %.2f cores",
            who,
            Double.isNaN(micros)
                ? "no operation succeeded"
                : String.format(Locale.ROOT, "%.2f µs each", micros),
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
