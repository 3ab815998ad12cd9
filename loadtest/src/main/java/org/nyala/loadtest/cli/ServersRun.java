package org.nyala.loadtest.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.nyala.loadtest.compare.RatioInterval;
import org.nyala.loadtest.compare.Turns;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.format.BarChart;
import org.nyala.loadtest.format.Chart;
import org.nyala.loadtest.format.HtmlPage;
import org.nyala.loadtest.format.LineChart;
import org.nyala.loadtest.format.LineChart.Point;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.format.Scale;
import org.nyala.loadtest.report.LoadPage;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.report.ServerIdentity;
import org.nyala.loadtest.report.TestOutput;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.Reports;
import org.nyala.loadtest.result.Spread;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * The same jobs against several servers, round by round, in an order that changes, so that all of
 * them see the same machine. A round before the first one warms up and does not count. Confined to
 * the thread that runs it.
 */
final class ServersRun {
  /** A figure by which servers are compared. */
  private enum Figure {
    RATE("rate", "per second", LoadReport::rate, false),
    P50("p50Micros", "p50", report -> report.latencyMicros(50), true),
    P99("p99Micros", "p99", report -> report.latencyMicros(99), true),
    SERVER_CPU("serverCpuMicros", "server CPU for each", LoadReport::serverCpuMicros, true);

    private final String key;
    private final String title;

    // Made of method references, and therefore immutable.
    @SuppressWarnings("ImmutableEnumChecker")
    private final ToDoubleFunction<LoadReport> value;

    private final boolean isTime;

    Figure(String key, String title, ToDoubleFunction<LoadReport> value, boolean isTime) {
      this.key = key;
      this.title = title;
      this.value = value;
      this.isTime = isTime;
    }

    String text(double number) {
      return isTime ? LoadPage.latency(number) : Scale.grouped(Math.round(number));
    }
  }

  /** A server and its results in each round. */
  private record Server(List<LoadSettings> parts, List<LoadReport> rounds) {
    String url() {
      return ResultJson.url(parts.getFirst());
    }

    double[] figures(Figure figure) {
      return rounds.stream().mapToDouble(figure.value).toArray();
    }

    Spread spread(Figure figure) {
      return Spread.of(figures(figure));
    }

    RatioInterval ratios(Figure figure, Server to) {
      return RatioInterval.of(figures(figure), to.figures(figure));
    }

    long sum(ToLongFunction<LoadReport> number) {
      return rounds.stream().mapToLong(number).sum();
    }

    boolean isKnown(Figure figure) {
      return Double.isFinite(spread(figure).median());
    }
  }

  private final TestOutput output;
  private final List<Server> servers = new ArrayList<>();
  private final int rounds;

  /**
   * Sets a comparison up.
   *
   * @param jobs the jobs of each server, two servers at least
   * @param rounds the number of rounds that count, at least 1
   */
  ServersRun(TestOutput output, List<List<LoadSettings>> jobs, int rounds) {
    this.output = output;
    this.rounds = rounds;
    jobs.forEach(parts -> servers.add(new Server(parts, new ArrayList<>())));
  }

  /**
   * Compares and reports.
   *
   * @return the exit code
   */
  int run() throws IOException, InterruptedException, LoadTestException {
    if (output.folder().isPresent()) {
      for (Server server : servers) {
        output.fact(server.url(), ServerIdentity.of(server.parts().getFirst()));
      }
    }
    boolean isRight = true;
    boolean isDisturbed = false;
    for (int round = 0; round <= rounds; round++) {
      for (Server server : Turns.of(servers, round)) {
        List<LoadReport> parts = output.measure(server.parts(), LoadListener.NONE);
        LoadReport report = Reports.sum(parts);
        isRight &= report.errorCount() == 0;
        show(round, server, report);
        if (round > 0) {
          isDisturbed |= report.isDisturbed();
          server.rounds().add(report);
        }
      }
    }
    output.print(ratios().text());
    if (rounds < RatioInterval.FEWEST_ROUNDS) {
      output.print(RatioInterval.WARNING + System.lineSeparator());
    }
    output.write(json(), page());
    return output.options().exitCode(isRight, isDisturbed);
  }

  private void show(int round, Server server, LoadReport report) {
    output.print(
        String.format(
            Locale.ROOT,
            "%s %s: %,.0f/s, p50 %s, p99 %s%s%s%n",
            round == 0 ? "warm-up" : "round " + round,
            server.url(),
            report.rate(),
            LoadPage.latency(report.latencyMicros(50)),
            LoadPage.latency(report.latencyMicros(99)),
            report.errorCount() == 0 ? "" : ", errors " + report.errors(),
            report.isDisturbed() ? ", disturbed" : ""));
  }

  private List<Figure> known() {
    return List.of(Figure.values()).stream()
        .filter(figure -> servers.stream().allMatch(server -> server.isKnown(figure)))
        .toList();
  }

  /** The medians of every server, and its ratios to the first one with their intervals. */
  private ReportTable ratios() {
    List<String> header = new ArrayList<>(List.of("server"));
    for (Figure figure : known()) {
      header.add(figure.title);
      header.add("to the first");
    }
    header.addAll(List.of("failed", "connections lost"));
    ReportTable table = new ReportTable(header.toArray(String[]::new));
    for (Server server : servers) {
      List<String> row = new ArrayList<>(List.of(server.url()));
      for (Figure figure : known()) {
        row.add(figure.text(server.spread(figure).median()));
        row.add(server.ratios(figure, servers.getFirst()).text());
      }
      row.add(Scale.grouped(server.sum(LoadReport::failedOperations)));
      row.add(Scale.grouped(server.sum(LoadReport::lostConnections)));
      table.row(row.toArray(String[]::new));
    }
    return table;
  }

  private JsonObject json() {
    JsonArray all = new JsonArray();
    for (Server server : servers) {
      JsonObject toFirst = new JsonObject();
      for (Figure figure : Figure.values()) {
        toFirst.add(figure.key, server.ratios(figure, servers.getFirst()).json());
      }
      JsonObject json = new JsonObject();
      json.addProperty("url", server.url());
      json.add("ratiosToFirst", toFirst);
      json.add("rounds", ResultJson.jobs(server.rounds()));
      all.add(json);
    }
    JsonObject document = new JsonObject();
    document.add("facts", ResultJson.texts(output.facts()));
    document.add("servers", all);
    return document;
  }

  private HtmlPage page() {
    LoadSettings settings = servers.getFirst().parts().getFirst();
    HtmlPage page =
        new HtmlPage(settings.job().label() + ", " + servers.size() + " servers side by side");
    page.element(
        "p",
        "%d rounds of %s s, the servers in an order that changes. Figures are medians of the rounds; a ratio is that of the medians of a server and of the first one, and in brackets its interval of 95 %% (a bootstrap over the rounds)."
            .formatted(rounds, Scale.trimmed(settings.extent().seconds())));
    if (rounds < RatioInterval.FEWEST_ROUNDS) {
      page.element("p", RatioInterval.WARNING);
    }
    page.table(ratios());
    List<Chart> charts = new ArrayList<>();
    for (Figure figure : known()) {
      BarChart chart = new BarChart(figure.title);
      for (Server server : servers) {
        double median = server.spread(figure).median();
        chart.bar(server.url(), median, figure.text(median));
      }
      charts.add(chart);
    }
    page.charts(charts.toArray(Chart[]::new));
    page.charts(
        overRounds(Figure.RATE, Scale.linear(Scale::count)),
        overRounds(Figure.P99, Scale.logarithmic(Scale::micros)));
    LoadPage.appendFacts(page, output.facts());
    return page;
  }

  private Chart overRounds(Figure figure, Scale scale) {
    LineChart chart =
        new LineChart(
            figure.title + ", round by round", "round", Scale.linear(Scale::count), scale);
    for (Server server : servers) {
      double[] figures = server.figures(figure);
      List<Point> points = new ArrayList<>();
      for (int i = 0; i < figures.length; i++) {
        points.add(new Point(i + 1, figures[i]));
      }
      chart.line(server.url(), points);
    }
    return chart;
  }
}
