package org.nyala.loadtest.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.nyala.loadtest.format.BarChart;
import org.nyala.loadtest.format.Chart;
import org.nyala.loadtest.format.HtmlPage;
import org.nyala.loadtest.format.LineChart;
import org.nyala.loadtest.format.LineChart.Point;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.format.Scale;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.GcPauses;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.result.LatencyTable;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.Percentile;
import org.nyala.loadtest.result.ResourceUse;
import org.nyala.loadtest.result.SecondsTable;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Replay;

/** The page that shows the results of a test. Confined to one thread. */
public final class LoadPage {
  private static final double LAST_PERCENTILE = 99.999;
  private static final int PERCENTILE_STEPS = 5;
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;

  private static final String OPEN =
      "Operations begin on a schedule that waits for nobody. From the intended start: what somebody"
          + " waits who comes at his own time, the queue before a slow server included. From the"
          + " actual send: what a tester sees that sends only once the last answer has come; shown"
          + " to tell how much that hides.";

  private static final String CLOSED =
      "A closed loop: each client sends once its last answer has come. While the server stalls"
          + " nobody sends, so that a stall counts once for each client, however long it is. Use"
          + " --rate to see what people wait who come at their own time.";

  private LoadPage() {}

  /**
   * Makes the page.
   *
   * @param facts circumstances by name
   * @param reports the results of jobs that ran at the same time
   * @param histogram wanted table of whole seconds or milliseconds
   */
  public static HtmlPage of(
      Map<String, String> facts, List<LoadReport> reports, Optional<SecondsTable.Unit> histogram) {
    LoadSettings settings = reports.getFirst().settings();
    HtmlPage page = new HtmlPage(title(reports) + ", " + ResultJson.url(settings));
    page.table(summary(reports));
    page.charts(
        overTime(
            reports,
            "throughput, " + settings.job().unit() + "/s",
            Scale.linear(Scale::count),
            IntervalSample::rate),
        processorTime(reports.getFirst()));
    for (LoadReport report : reports) {
      appendJob(page, report, histogram);
    }
    page.element("h2", "Processes and errors");
    page.table(processes(reports.getFirst()));
    page.element(
        "p", "The load tester itself: " + Disturbance.text(reports.getFirst().intervals()) + ".");
    ReportTable errors = errors(reports);
    page.element("p", errors.isEmpty() ? "Nothing went wrong." : "What went wrong, by its kind:");
    if (!errors.isEmpty()) {
      page.table(errors);
    }
    appendFacts(page, facts);
    return page;
  }

  private static String title(List<LoadReport> reports) {
    List<String> jobs = reports.stream().map(report -> report.settings().job().label()).toList();
    return String.join(" + ", jobs);
  }

  private static ReportTable summary(List<LoadReport> reports) {
    ReportTable table =
        new ReportTable(
            "job",
            "clients",
            "pace",
            "seconds",
            "done",
            "per second",
            "failed",
            "connections lost");
    for (LoadReport report : reports) {
      table.row(
          report.settings().job().label(),
          Scale.count(report.settings().connections()),
          ReportText.loop(report.settings()),
          Scale.trimmed(Math.rint(report.seconds() * 10) / 10),
          Scale.grouped(report.units()) + " " + report.settings().job().unit(),
          Scale.grouped(Math.round(report.rate())),
          Scale.grouped(report.failedOperations()),
          Scale.grouped(report.lostConnections()));
    }
    return table;
  }

  private static void appendJob(
      HtmlPage page, LoadReport report, Optional<SecondsTable.Unit> histogram) {
    page.element("h2", "Latency: " + report.settings().job().label());
    boolean isOpen = report.settings().isScheduled();
    page.element("p", isOpen ? OPEN : CLOSED);
    page.table(latencies(report));
    if (!report.kinds().isEmpty()) {
      page.element("h3", "By kind");
      page.table(ReportText.kinds(report));
    }
    Replay replay = report.settings().options().replay();
    if (replay != null && !replay.leftOut().isEmpty()) {
      page.element(
          "p",
          "Left out, since the log does not tell enough of it: "
              + ReportText.leftOut(replay)
              + ".");
    }
    page.charts(percentiles(report), overTime(report), frequencies(report));
    if (histogram.isPresent()) {
      page.element("h3", "Whole " + histogram.get());
      page.table(new SecondsTable(histogram.get(), report.corrected(), report.timeOuts()).table());
      page.element("p", "Timed out: " + Scale.grouped(report.timeOuts()) + ".");
    }
  }

  private static ReportTable latencies(LoadReport report) {
    List<String> header = new ArrayList<>(List.of("", "mean"));
    for (Percentile percentile : Percentile.values()) {
      header.add(percentile.label());
    }
    header.add("max");
    ReportTable table = new ReportTable(header.toArray(String[]::new));
    if (report.settings().isScheduled()) {
      table.row(latencies("from the intended start (corrected)", report.corrected()));
      table.row(latencies("from the actual send (uncorrected)", report.uncorrected()));
    } else {
      table.row(latencies("from the send", report.corrected()));
    }
    return table;
  }

  private static String[] latencies(String name, Histogram nanos) {
    boolean isEmpty = nanos.getTotalCount() == 0;
    List<String> row = new ArrayList<>();
    row.add(name);
    row.add(latency(isEmpty ? Double.NaN : nanos.getMean() / NANOS_PER_MICRO));
    for (Percentile percentile : Percentile.values()) {
      row.add(latency(percentile.micros(nanos)));
    }
    row.add(latency(isEmpty ? Double.NaN : nanos.getMaxValue() / NANOS_PER_MICRO));
    return row.toArray(String[]::new);
  }

  /** A time to three digits, with its unit. */
  public static String latency(double micros) {
    return Double.isNaN(micros) ? "-" : Scale.micros(Scale.threeDigits(micros));
  }

  /** A chart of the latencies by percentile. */
  private static Chart percentiles(LoadReport report) {
    LineChart chart =
        new LineChart(
            "latency by percentile",
            "part of the operations",
            Scale.percentiles(),
            Scale.logarithmic(Scale::micros));
    boolean isOpen = report.settings().isScheduled();
    chart.line(isOpen ? "intended start (corrected)" : "send", percentiles(report.corrected()));
    if (isOpen) {
      chart.line("actual send (uncorrected)", percentiles(report.uncorrected()));
    }
    return chart;
  }

  private static List<Point> percentiles(Histogram nanos) {
    List<Point> points = new ArrayList<>();
    if (nanos.getTotalCount() == 0) {
      return points;
    }
    double last = Math.min(LAST_PERCENTILE, 100 - 100.0 / nanos.getTotalCount());
    for (HistogramIterationValue value : nanos.percentiles(PERCENTILE_STEPS)) {
      double percentile = value.getPercentileLevelIteratedTo();
      if (percentile < last) {
        points.add(new Point(percentile, value.getValueIteratedTo() / NANOS_PER_MICRO));
      }
    }
    points.add(new Point(last, nanos.getMaxValue() / NANOS_PER_MICRO));
    return points;
  }

  private static Chart overTime(LoadReport report) {
    LineChart chart =
        new LineChart(
            "latency over time" + (report.settings().isScheduled() ? ", corrected" : ""),
            "seconds",
            Scale.linear(Scale::count),
            Scale.logarithmic(Scale::micros));
    chart.line("max", points(report, sample -> sample.corrected().maxMicros()));
    chart.line("p99", points(report, sample -> sample.corrected().p99Micros()));
    chart.line("p50", points(report, sample -> sample.corrected().p50Micros()));
    return chart;
  }

  private static Chart overTime(
      List<LoadReport> reports,
      String title,
      Scale scale,
      ToDoubleFunction<IntervalSample> figure) {
    LineChart chart = new LineChart(title, "seconds", Scale.linear(Scale::count), scale);
    for (LoadReport report : reports) {
      chart.line(report.settings().job().label(), points(report, figure));
    }
    return chart;
  }

  private static Chart processorTime(LoadReport report) {
    LineChart chart =
        new LineChart(
            "processors in use", "seconds", Scale.linear(Scale::count), Scale.linear(Scale::count));
    chart.line("server", points(report, sample -> cores(sample, IntervalSample::serverCpuNanos)));
    chart.line(
        "load tester", points(report, sample -> cores(sample, IntervalSample::clientCpuNanos)));
    return chart;
  }

  private static double cores(IntervalSample sample, Function<IntervalSample, Long> cpu) {
    long nanos = cpu.apply(sample);
    return nanos < 0 ? Double.NaN : nanos / NANOS_PER_SECOND / sample.seconds();
  }

  /** A point in the middle of each interval. */
  private static List<Point> points(LoadReport report, ToDoubleFunction<IntervalSample> figure) {
    return report.intervals().stream()
        .map(
            sample ->
                new Point(
                    sample.startSeconds() + sample.seconds() / 2, figure.applyAsDouble(sample)))
        .toList();
  }

  private static Chart frequencies(LoadReport report) {
    BarChart chart = new BarChart("operations that took");
    LatencyTable.of(report.corrected())
        .rows()
        .forEach(
            row ->
                chart.bar(
                    row.label(),
                    (double) row.count(),
                    Scale.grouped(row.count()) + " (" + share(row.percent()) + ")"));
    return chart;
  }

  /** A percentage with as many digits as needed to be above zero. */
  private static String share(double percent) {
    if (percent > 0 && percent < 0.001) {
      return "<0.001 %";
    }
    String format = percent >= 10 ? "%.0f %%" : percent >= 1 ? "%.1f %%" : "%.3f %%";
    return String.format(Locale.ROOT, format, percent);
  }

  private static ReportTable processes(LoadReport report) {
    ReportTable table =
        new ReportTable(
            "process",
            "CPU for each",
            "CPU, cores",
            "resident, MiB",
            "switches to wait",
            "forced switches");
    if (report.resources().server().cpuNanos() >= 0) {
      processRow(table, "server", report.serverCpuMicros(), report.resources().server(), report);
    }
    processRow(table, "load tester", report.clientCpuMicros(), report.resources().client(), report);
    GcPauses pauses = report.resources().gcPauses();
    table.row(
        "load tester's collector",
        pauses.count() + " pauses",
        Scale.grouped(pauses.millis()) + " ms in all",
        "",
        "",
        "");
    return table;
  }

  private static void processRow(
      ReportTable table, String name, double micros, ResourceUse use, LoadReport report) {
    table.row(
        name,
        Double.isNaN(micros) ? "-" : String.format(Locale.ROOT, "%.2f us", micros),
        use.cpuNanos() < 0
            ? "-"
            : String.format(
                Locale.ROOT, "%.2f", use.cpuNanos() / NANOS_PER_SECOND / report.seconds()),
        use.rssBytes() < 0 ? "-" : Scale.grouped(use.rssBytes() >> 20),
        use.voluntarySwitches() < 0 ? "-" : Scale.grouped(use.voluntarySwitches()),
        use.involuntarySwitches() < 0 ? "-" : Scale.grouped(use.involuntarySwitches()));
  }

  private static ReportTable errors(List<LoadReport> reports) {
    ReportTable table = new ReportTable("job", "error", "number");
    for (LoadReport report : reports) {
      report
          .errors()
          .forEach(
              (kind, number) ->
                  table.row(report.settings().job().label(), kind, Scale.grouped(number)));
    }
    return table;
  }

  /** Ends a page with the circumstances. */
  public static void appendFacts(HtmlPage page, Map<String, String> facts) {
    page.element("h2", "Circumstances");
    ReportTable table = new ReportTable("fact", "value");
    facts.forEach(table::row);
    page.facts(table);
  }
}
