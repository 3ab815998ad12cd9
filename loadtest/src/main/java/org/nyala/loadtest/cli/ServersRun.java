package org.nyala.loadtest.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.nyala.loadtest.compare.Figure;
import org.nyala.loadtest.compare.Figure.Trait;
import org.nyala.loadtest.compare.LoadFigures;
import org.nyala.loadtest.compare.RatioInterval;
import org.nyala.loadtest.compare.Series;
import org.nyala.loadtest.compare.Turns;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.report.ErrorText;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.report.TestOutput;
import org.nyala.loadtest.report.Verdict;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.Reports;
import org.nyala.loadtest.server.ServerFacts;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * The same jobs against several servers, round by round, in an order that changes, so that all of
 * them see the same machine. A round before the first one warms up and does not count. Confined to
 * the thread that runs it.
 */
final class ServersRun {
  /** A server; its name is the URL, with a number if another one has the same. Immutable. */
  private record Server(String name, List<LoadSettings> parts) {
    String url() {
      return ResultJson.url(parts.getFirst());
    }
  }

  private final TestOutput output;
  private final List<Server> servers = new ArrayList<>();
  private final Series<String, LoadReport> series = new Series<>();
  private final String cell;
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
    this.cell = jobs.getFirst().getFirst().job().label();
    for (List<LoadSettings> parts : jobs) {
      String url = ResultJson.url(parts.getFirst());
      boolean isKnown = servers.stream().anyMatch(server -> server.url().equals(url));
      servers.add(new Server(isKnown ? url + " (" + (servers.size() + 1) + ")" : url, parts));
    }
  }

  /**
   * Compares and reports.
   *
   * @return the exit code
   */
  int run() throws IOException, InterruptedException, LoadTestException {
    if (output.folder().isPresent()) {
      for (Server server : servers) {
        output.fact(server.url(), ServerFacts.read(server.parts().getFirst()).text());
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
          series.add(cell, server.name(), report);
        }
      }
    }
    output.print(verdict() + System.lineSeparator() + table().text(servers));
    if (rounds < RatioInterval.FEWEST_ROUNDS) {
      output.print(RatioInterval.WARNING + System.lineSeparator());
    }
    output.write(json());
    return output.options().exitCode(isRight, isDisturbed);
  }

  private void show(int round, Server server, LoadReport report) {
    output.print(
        String.format(
            Locale.ROOT,
            "%s %s: %,.0f/s, p50 %s, p99 %s%s%s%n",
            round == 0 ? "warm-up" : "round " + round,
            server.name(),
            report.rate(),
            FigureText.latency(report.latencyMicros(50)),
            FigureText.latency(report.latencyMicros(99)),
            report.errorCount() == 0 ? "" : ", failed: " + ErrorText.of(report.errors()),
            report.isDisturbed() ? ", disturbed" : ""));
  }

  /** The medians of every server in one sentence, with the ratio of its rate to the first one's. */
  private String verdict() {
    List<Verdict.Reached> reached = new ArrayList<>();
    Map<String, Long> errors = new TreeMap<>();
    List<IntervalSample> disturbed = new ArrayList<>();
    for (Server server : servers) {
      List<LoadReport> reports = series.rounds(cell, server.name());
      String ratio =
          server == servers.getFirst()
              ? ""
              : ", " + ratios(server, LoadFigures.RATE).text() + " times the first";
      String rate =
          Verdict.rate(series.value(cell, server.name(), LoadFigures.RATE), reports.getFirst());
      reached.add(
          new Verdict.Reached(
              (reached.isEmpty() ? cell + ": " : "") + server.name() + ' ' + rate + ratio,
              series.value(cell, server.name(), LoadFigures.P50),
              series.value(cell, server.name(), LoadFigures.P99)));
      for (LoadReport report : reports) {
        report.errors().forEach((kind, number) -> errors.merge(kind, number, Long::sum));
        disturbed.addAll(report.isDisturbed() ? report.intervals() : List.of());
      }
    }
    return Verdict.of(reached, errors, disturbed);
  }

  /** The figures of every server, and its ratios to the first one with their intervals. */
  private ReportTable<Server> table() {
    ReportTable<Server> table = new ReportTable<Server>().column("server", Server::name);
    for (Figure<LoadReport> figure : LoadFigures.ALL) {
      boolean isKnown =
          servers.stream()
              .allMatch(server -> Double.isFinite(series.value(cell, server.name(), figure)));
      if (isKnown) {
        table.column(
            figure.title(),
            server -> figure.unit().text(series.value(cell, server.name(), figure)));
        if (figure.is(Trait.COMPARED)) {
          table.column("to the first", server -> ratios(server, figure).text());
        }
      }
    }
    return table;
  }

  private RatioInterval ratios(Server server, Figure<LoadReport> figure) {
    return series.ratios(cell, server.name(), servers.getFirst().name(), figure);
  }

  private JsonObject json() {
    JsonArray all = new JsonArray();
    for (Server server : servers) {
      JsonObject toFirst = new JsonObject();
      for (Figure<LoadReport> figure : LoadFigures.ALL) {
        if (figure.is(Trait.COMPARED)) {
          toFirst.add(figure.key(), ratios(server, figure).json());
        }
      }
      JsonObject json = new JsonObject();
      json.addProperty("url", server.url());
      json.add("ratiosToFirst", toFirst);
      json.add("rounds", ResultJson.jobs(series.rounds(cell, server.name())));
      all.add(json);
    }
    JsonObject document = new JsonObject();
    document.add("facts", ResultJson.texts(output.facts()));
    document.addProperty("kind", "servers");
    document.addProperty("verdict", verdict());
    if (rounds < RatioInterval.FEWEST_ROUNDS) {
      document.addProperty("warning", RatioInterval.WARNING);
    }
    document.addProperty("job", cell);
    document.add("servers", all);
    document.add(
        "sideBySide",
        series.json(
            "server",
            "the first",
            LoadFigures.ALL,
            Series::named,
            _ -> servers.stream().map(Server::name).toList(),
            _ -> servers.getFirst().name()));
    return document;
  }
}
