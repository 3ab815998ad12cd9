package org.nyala.loadtest.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.result.LoadReport;

/**
 * The results of several servers in the same jobs, round by round. Of several settings of a product
 * the best one counts, job by job. Confined to the thread that compares.
 */
final class Comparison {
  /** A job at a number of connections. Immutable. */
  record Cell(String job, int connections) {}

  /** The median of a server's rounds in one cell. Immutable. */
  record Figures(
      String server,
      double rate,
      double serverCpuMicros,
      double clientCpuMicros,
      double p50Micros,
      double p99Micros,
      long failed,
      long lost) {}

  private final Map<Cell, Map<String, List<LoadReport>>> reports = new LinkedHashMap<>();

  /** Takes a server's result of one round; {@code job} is its name in the results. */
  void add(String server, String job, LoadReport report) {
    Cell cell = new Cell(job, report.settings().connections());
    reports
        .computeIfAbsent(cell, _ -> new LinkedHashMap<>())
        .computeIfAbsent(server, _ -> new ArrayList<>())
        .add(report);
  }

  /** The cells in the order in which they were measured. */
  List<Cell> cells() {
    return List.copyOf(reports.keySet());
  }

  /** The figures of the product's fastest setting; all NaN if it was not measured. */
  Figures best(Cell cell, String product) {
    Figures best =
        new Figures("-", Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, 0, 0);
    for (var server : reports.getOrDefault(cell, Map.of()).entrySet()) {
      if (server.getKey().startsWith(product)) {
        Figures figures = figures(server.getKey(), server.getValue());
        if (!(best.rate() >= figures.rate())) {
          best = figures;
        }
      }
    }
    return best;
  }

  private static Figures figures(String server, List<LoadReport> rounds) {
    return new Figures(
        server,
        median(rounds, LoadReport::rate),
        median(rounds, LoadReport::serverCpuMicros),
        median(rounds, LoadReport::clientCpuMicros),
        median(rounds, report -> report.latencyMicros(50)),
        median(rounds, report -> report.latencyMicros(99)),
        rounds.stream().mapToLong(LoadReport::failedOperations).sum(),
        rounds.stream().mapToLong(LoadReport::lostConnections).sum());
  }

  private static double median(List<LoadReport> rounds, ToDoubleFunction<LoadReport> figure) {
    double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The ratio of a figure of one product's best setting to another's. */
  RatioInterval ratios(Cell cell, String product, String to, ToDoubleFunction<LoadReport> figure) {
    return RatioInterval.of(
        rounds(cell, best(cell, product).server(), figure),
        rounds(cell, best(cell, to).server(), figure));
  }

  /** The ratio of a figure of a product in one cell to that in another. */
  RatioInterval ratios(Cell cell, Cell to, String product, ToDoubleFunction<LoadReport> figure) {
    return RatioInterval.of(
        rounds(cell, best(cell, product).server(), figure),
        rounds(to, best(to, product).server(), figure));
  }

  private double[] rounds(Cell cell, String server, ToDoubleFunction<LoadReport> figure) {
    return reports.getOrDefault(cell, Map.of()).getOrDefault(server, List.of()).stream()
        .mapToDouble(figure)
        .toArray();
  }

  /** The times of a server's operations in all rounds, in nanoseconds; empty if it has none. */
  Optional<Histogram> latency(Cell cell, String server) {
    List<LoadReport> rounds = reports.getOrDefault(cell, Map.of()).getOrDefault(server, List.of());
    return rounds.stream()
        .map(LoadReport::latency)
        .reduce(
            (sum, histogram) -> {
              Histogram both = sum.copy();
              both.add(histogram);
              return both;
            });
  }

  /** The errors by server and job; empty if there are none. */
  Map<String, Map<String, Long>> errors() {
    Map<String, Map<String, Long>> errors = new LinkedHashMap<>();
    reports.forEach(
        (cell, byServer) ->
            byServer.forEach(
                (server, rounds) -> {
                  for (LoadReport report : rounds) {
                    report
                        .errors()
                        .forEach(
                            (kind, number) ->
                                errors
                                    .computeIfAbsent(
                                        server + " " + cell.job() + " " + cell.connections(),
                                        _ -> new TreeMap<>())
                                    .merge(kind, number, Long::sum));
                  }
                }));
    return errors;
  }

  /** Returns whether there are too few rounds for a reliable result. */
  boolean isOfFewRounds() {
    int rounds =
        reports.values().stream()
            .flatMap(byServer -> byServer.values().stream())
            .mapToInt(List::size)
            .max()
            .orElse(0);
    return rounds < RatioInterval.FEWEST_ROUNDS;
  }

  /** Returns whether the servers whose names begin with this prefix had no errors. */
  boolean isRight(String server) {
    return errors().keySet().stream().noneMatch(what -> what.startsWith(server));
  }

  /** Every single result. */
  JsonArray json() {
    JsonArray all = new JsonArray();
    reports.forEach(
        (cell, byServer) ->
            byServer.forEach(
                (server, rounds) ->
                    rounds.forEach(report -> all.add(json(server, cell.job(), report)))));
    return all;
  }

  private static JsonObject json(String server, String job, LoadReport report) {
    JsonObject json = new JsonObject();
    json.addProperty("server", server);
    json.addProperty("measured", job);
    json.add("report", ResultJson.job(report));
    return json;
  }
}
