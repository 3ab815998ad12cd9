package org.nyala.loadtest.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.result.LoadReport;

/**
 * The results of Nyala and slapd in the same jobs, round by round. Of several settings of slapd the
 * fastest one counts, job by job. Confined to the thread that compares.
 */
final class Comparison {
  static final String SLAPD = "slapd";
  static final String NYALA = "nyala";

  /** A job at a number of connections. Immutable. */
  record Cell(String job, int connections) {
    String label() {
      return job + ", " + connections + (connections == 1 ? " client" : " clients");
    }
  }

  private final Series<Cell, LoadReport> series = new Series<>();

  /** Takes a server's result of one round; {@code job} is its name in the results. */
  void add(String server, String job, LoadReport report) {
    series.add(new Cell(job, report.settings().connections()), server, report);
  }

  /** The cells in the order in which they were measured. */
  List<Cell> cells() {
    return series.cells();
  }

  /** The name of the product's fastest setting; a hyphen if it was not measured. */
  String best(Cell cell, String product) {
    return series
        .best(cell, server -> server.startsWith(product), LoadFigures.RATE, true)
        .orElse("-");
  }

  /** The median, or sum, of a figure of the product's fastest setting; NaN without rounds. */
  double value(Cell cell, String product, Figure<LoadReport> figure) {
    return series.value(cell, best(cell, product), figure);
  }

  /** The ratio of Nyala's figure to that of slapd's fastest setting. */
  RatioInterval ratios(Cell cell, Figure<LoadReport> figure) {
    return series.ratios(cell, best(cell, NYALA), best(cell, SLAPD), figure);
  }

  /** The ratio of the rate of a product in one cell to that in another. */
  RatioInterval kept(Cell cell, Cell of, String product) {
    return series.ratios(cell, best(cell, product), of, best(of, product), LoadFigures.RATE);
  }

  /** The times of the operations of a product's fastest setting in all rounds, in nanoseconds. */
  Histogram latency(Cell cell, String product) {
    Histogram sum = new Histogram(3);
    series.rounds(cell, best(cell, product)).forEach(report -> sum.add(report.corrected()));
    return sum;
  }

  /** The errors by server and job; empty if there are none. */
  Map<String, Map<String, Long>> errors() {
    Map<String, Map<String, Long>> errors = new LinkedHashMap<>();
    for (Cell cell : series.cells()) {
      for (String server : series.subjects(cell)) {
        Map<String, Long> sum = new TreeMap<>();
        series
            .rounds(cell, server)
            .forEach(report -> report.errors().forEach((kind, n) -> sum.merge(kind, n, Long::sum)));
        if (!sum.isEmpty()) {
          errors.put(server + " " + cell.job() + " " + cell.connections(), sum);
        }
      }
    }
    return errors;
  }

  /** Returns whether there are too few rounds for a reliable result. */
  boolean isOfFewRounds() {
    return series.mostRounds() < RatioInterval.FEWEST_ROUNDS;
  }

  /** Returns whether the servers whose names begin with this prefix had no errors. */
  boolean isRight(String server) {
    return errors().keySet().stream().noneMatch(what -> what.startsWith(server));
  }

  /** Both products side by side. */
  JsonObject sideBySide() {
    return series.json(
        "server",
        SLAPD,
        LoadFigures.ALL,
        cell -> Series.named(cell.label()),
        cell ->
            List.of(best(cell, SLAPD), best(cell, NYALA)).stream()
                .filter(server -> !series.rounds(cell, server).isEmpty())
                .toList(),
        cell -> best(cell, SLAPD));
  }

  /** Every single result. */
  JsonArray json() {
    JsonArray all = new JsonArray();
    for (Cell cell : series.cells()) {
      for (String server : series.subjects(cell)) {
        for (LoadReport report : series.rounds(cell, server)) {
          JsonObject json = new JsonObject();
          json.addProperty("server", server);
          json.addProperty("measured", cell.job());
          json.add("report", ResultJson.job(report));
          all.add(json);
        }
      }
    }
    return all;
  }
}
