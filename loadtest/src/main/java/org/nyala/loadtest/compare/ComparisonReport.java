package org.nyala.loadtest.compare;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.compare.Comparison.Cell;
import org.nyala.loadtest.compare.Comparison.Figures;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.result.LatencyTable;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;

/** Shows a comparison as Markdown and JSON. Confined to the thread that compares. */
final class ComparisonReport {
  static final String TITLE = "# Nyala and slapd side by side\n\n";

  private static final String SLAPD = "slapd";
  private static final String NYALA = "nyala";

  private final Comparison comparison;
  private final Map<String, String> facts = new LinkedHashMap<>();

  ComparisonReport(Comparison comparison) {
    this.comparison = comparison;
  }

  /** Adds a line about the circumstances. */
  void fact(String name, String value) {
    facts.put(name, value);
  }

  Map<String, String> facts() {
    return facts;
  }

  /** The report for people. */
  String markdown() {
    return TITLE + tables();
  }

  /** The report for people without its title. */
  String tables() {
    StringBuilder out = new StringBuilder(4096);
    out.append("| | |\n|---|---|\n");
    facts.forEach((name, value) -> out.append("| " + name + " | " + value + " |\n"));
    out.append(
        "\nMedians of the rounds; of slapd's thread settings the fastest for each job. Ratios are"
            + " those of the medians, and in brackets their interval of 95 % (a bootstrap over the"
            + " rounds).\n\n");
    if (comparison.isOfFewRounds()) {
      out.append(RatioInterval.WARNING).append("\n\n");
    }
    out.append(
        "| job | connections | slapd/s | Nyala/s | ratio | slapd CPU us | Nyala CPU us | ratio |"
            + " slapd p50/p99 us | Nyala p50/p99 us | client CPU us (slapd/Nyala) | slapd is |"
            + " failed | connections lost |\n");
    out.append("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    comparison.cells().forEach(cell -> out.append(row(cell)));
    appendMixed(out);
    appendTails(out);
    comparison.cells().stream()
        .filter(cell -> cell.job().equals(JobKind.MODIFY_EACH.label()))
        .forEach(cell -> appendHistogram(out, cell));
    appendErrors(out);
    return out.toString();
  }

  /**
   * Appends a table that shows whether the slowest of very many clients are served as well as the
   * others.
   */
  private void appendTails(StringBuilder out) {
    List<Cell> crowds =
        comparison.cells().stream()
            .filter(cell -> cell.job().equals(ComparisonStep.CROWD))
            .toList();
    if (!crowds.isEmpty()) {
      out.append(
          "%n| connections | server | p50 us | p99.9 us | p99.9 / p50 | max us |%n|---|---|---|---|---|---|%n"
              .formatted());
      for (Cell cell : crowds) {
        out.append(tail(cell, SLAPD)).append(tail(cell, NYALA));
      }
    }
  }

  private String tail(Cell cell, String product) {
    Histogram latency = latency(cell, product);
    double median = latency.getValueAtPercentile(50) / 1e3;
    double slow = latency.getValueAtPercentile(99.9) / 1e3;
    return "| %d | %s | %s | %s | %s | %s |%n"
        .formatted(
            cell.connections(),
            product,
            whole(median),
            whole(slow),
            ratio(slow, median),
            whole(latency.getMaxValue() / 1e3));
  }

  /** Appends the part of its rate of searches that each server keeps while other clients modify. */
  private void appendMixed(StringBuilder out) {
    List<Cell> cells = comparison.cells();
    for (Cell beside : cells) {
      Cell alone = new Cell(ComparisonStep.ALONE, beside.connections());
      if (beside.job().equals(ComparisonStep.BESIDE) && cells.contains(alone)) {
        out.append(
            "%nRate of searches while 16 clients modify, against searches alone: slapd %s, Nyala %s.%n"
                .formatted(kept(beside, alone, SLAPD), kept(beside, alone, NYALA)));
      }
    }
  }

  private String kept(Cell beside, Cell alone, String product) {
    return comparison.ratios(beside, alone, product, LoadReport::rate).text();
  }

  /**
   * Appends the experiment that the first published measurement of a directory server asked for.
   */
  private void appendHistogram(StringBuilder out, Cell cell) {
    LatencyTable slapd = latencies(cell, SLAPD);
    LatencyTable nyala = latencies(cell, NYALA);
    out.append(
        "%nEvery one of so many entries modified once, by %d clients:%n%n| time | slapd | %% | Nyala | %% |%n|---|---|---|---|---|%n"
            .formatted(cell.connections()));
    for (int row = 0; row < LatencyTable.ROWS; row++) {
      if (slapd.count(row) + nyala.count(row) > 0) {
        out.append(
            "| %s | %d | %s | %d | %s |%n"
                .formatted(
                    LatencyTable.label(row),
                    slapd.count(row),
                    percent(slapd.count(row), slapd.total()),
                    nyala.count(row),
                    percent(nyala.count(row), nyala.total())));
      }
    }
    out.append(
        "| all; mean in ms | %d | %s | %d | %s |%n"
            .formatted(
                slapd.total(),
                ratio(slapd.meanMicros(), 1000),
                nyala.total(),
                ratio(nyala.meanMicros(), 1000)));
  }

  private LatencyTable latencies(Cell cell, String product) {
    return LatencyTable.of(latency(cell, product));
  }

  private Histogram latency(Cell cell, String product) {
    return comparison
        .latency(cell, comparison.best(cell, product).server())
        .orElseGet(() -> new Histogram(1));
  }

  private void appendErrors(StringBuilder out) {
    comparison
        .errors()
        .forEach((what, errors) -> out.append("\nErrors of " + what + ": " + errors + "\n"));
  }

  private static String percent(long part, long all) {
    return all == 0 ? "-" : String.format(Locale.ROOT, "%.1f", 100.0 * part / all);
  }

  private String row(Cell cell) {
    Figures slapd = comparison.best(cell, SLAPD);
    Figures nyala = comparison.best(cell, NYALA);
    return "| %s | %d | %s | %s | %s | %s | %s | %s | %s / %s | %s / %s | %s / %s | %s | %d | %d |%n"
        .formatted(
            cell.job(),
            cell.connections(),
            whole(slapd.rate()),
            whole(nyala.rate()),
            spread(cell, LoadReport::rate),
            fine(slapd.serverCpuMicros()),
            fine(nyala.serverCpuMicros()),
            spread(cell, LoadReport::serverCpuMicros),
            whole(slapd.p50Micros()),
            whole(slapd.p99Micros()),
            whole(nyala.p50Micros()),
            whole(nyala.p99Micros()),
            fine(slapd.clientCpuMicros()),
            fine(nyala.clientCpuMicros()),
            slapd.server(),
            slapd.failed() + nyala.failed(),
            slapd.lost() + nyala.lost());
  }

  private String spread(Cell cell, ToDoubleFunction<LoadReport> figure) {
    return comparison.ratios(cell, NYALA, SLAPD, figure).text();
  }

  private static String whole(double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%,.0f", value);
  }

  private static String fine(double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.1f", value);
  }

  private static String ratio(double value, double to) {
    return Double.isNaN(value / to) ? "-" : String.format(Locale.ROOT, "%.2f", value / to);
  }

  /** The report for programs: the circumstances and every single result. */
  String json() {
    JsonObject json = new JsonObject();
    json.add("facts", ResultJson.texts(facts));
    json.add("results", comparison.json());
    return json.toString();
  }
}
