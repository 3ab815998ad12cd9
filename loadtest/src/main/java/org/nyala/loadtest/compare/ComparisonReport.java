package org.nyala.loadtest.compare;

import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.compare.Comparison.Cell;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.result.LatencyTable;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;

/** Shows a comparison as Markdown and JSON. Confined to the thread that compares. */
final class ComparisonReport {
  /** The name of the fact about Nyala's settings. */
  static final String SETTINGS = "settings of Nyala that are not the default";

  /** The name of the fact about what Nyala's logins do besides. */
  static final String LOGINS = "logins of Nyala";

  static final String TITLE = "# Nyala and slapd side by side\n\n";

  private static final String SLAPD = Comparison.SLAPD;
  private static final String NYALA = Comparison.NYALA;

  /** The times of a product in the cell of a crowd. Immutable. */
  private record Tail(Cell cell, String product, Histogram latency) {
    double micros(double percentile) {
      return latency.getValueAtPercentile(percentile) / 1e3;
    }
  }

  private final Comparison comparison;
  private final Map<String, String> facts = new LinkedHashMap<>();

  ComparisonReport(Comparison comparison) {
    this.comparison = comparison;
  }

  /** Adds a line about the circumstances. */
  void fact(String name, String value) {
    facts.put(name, value);
  }

  /** The report for people. */
  String markdown() {
    return TITLE + tables();
  }

  /** The report for people without its title. */
  String tables() {
    StringBuilder out = new StringBuilder(4096);
    out.append(ReportTable.markdown(facts));
    out.append(
        "\nMedians of the rounds; of slapd's thread settings the fastest for each job. Ratios are"
            + " those of the medians, and in brackets their interval of 95 % (a bootstrap over the"
            + " rounds).\n\n");
    if (comparison.isOfFewRounds()) {
      out.append(RatioInterval.WARNING).append("\n\n");
    }
    out.append(table().markdown(comparison.cells()));
    appendMixed(out);
    appendTails(out);
    comparison.cells().stream()
        .filter(cell -> cell.job().equals(JobKind.MODIFY_EACH.label()))
        .forEach(cell -> appendHistogram(out, cell));
    comparison
        .errors()
        .forEach((what, errors) -> out.append("\nErrors of " + what + ": " + errors + "\n"));
    return out.toString();
  }

  private ReportTable<Cell> table() {
    return new ReportTable<Cell>()
        .column("job", Cell::job)
        .column("connections", cell -> Integer.toString(cell.connections()))
        .column("slapd/s", cell -> text(cell, SLAPD, LoadFigures.RATE))
        .column("Nyala/s", cell -> text(cell, NYALA, LoadFigures.RATE))
        .column("ratio", cell -> comparison.ratios(cell, LoadFigures.RATE).text())
        .column("slapd CPU, µs", cell -> text(cell, SLAPD, LoadFigures.SERVER_CPU))
        .column("Nyala CPU, µs", cell -> text(cell, NYALA, LoadFigures.SERVER_CPU))
        .column("ratio", cell -> comparison.ratios(cell, LoadFigures.SERVER_CPU).text())
        .column("slapd p50/p99, µs", cell -> percentiles(cell, SLAPD))
        .column("Nyala p50/p99, µs", cell -> percentiles(cell, NYALA))
        .column(
            "client CPU, µs (slapd/Nyala)",
            cell ->
                text(cell, SLAPD, LoadFigures.CLIENT_CPU)
                    + " / "
                    + text(cell, NYALA, LoadFigures.CLIENT_CPU))
        .column("slapd is", cell -> comparison.best(cell, SLAPD))
        .column("failed", cell -> ofBoth(cell, LoadFigures.FAILED))
        .column("connections lost", cell -> ofBoth(cell, LoadFigures.LOST));
  }

  private String text(Cell cell, String product, Figure<LoadReport> figure) {
    return figure.unit().plain(comparison.value(cell, product, figure));
  }

  private String percentiles(Cell cell, String product) {
    return text(cell, product, LoadFigures.P50) + " / " + text(cell, product, LoadFigures.P99);
  }

  private String ofBoth(Cell cell, Figure<LoadReport> figure) {
    return figure
        .unit()
        .plain(comparison.value(cell, SLAPD, figure) + comparison.value(cell, NYALA, figure));
  }

  /** Appends the part of its rate of searches that each server keeps while other clients modify. */
  private void appendMixed(StringBuilder out) {
    List<Cell> cells = comparison.cells();
    for (Cell beside : cells) {
      Cell alone = new Cell(ComparisonStep.ALONE, beside.connections());
      if (beside.job().equals(ComparisonStep.BESIDE) && cells.contains(alone)) {
        out.append(
            String.format(
                Locale.ROOT,
                "%nRate of searches while 16 clients modify, against searches alone: slapd %s,"
                    + " Nyala %s.%n",
                comparison.kept(beside, alone, SLAPD).text(),
                comparison.kept(beside, alone, NYALA).text()));
      }
    }
  }

  /**
   * Appends a table that shows whether the slowest of very many clients are served as well as the
   * others.
   */
  private void appendTails(StringBuilder out) {
    List<Tail> tails =
        comparison.cells().stream()
            .filter(cell -> cell.job().equals(ComparisonStep.CROWD))
            .flatMap(cell -> List.of(SLAPD, NYALA).stream().map(product -> tail(cell, product)))
            .toList();
    if (!tails.isEmpty()) {
      out.append('\n');
      out.append(
          new ReportTable<Tail>()
              .column("connections", tail -> Integer.toString(tail.cell().connections()))
              .column("server", Tail::product)
              .column("p50, µs", tail -> FigureText.whole(tail.micros(50)))
              .column("p99.9, µs", tail -> FigureText.whole(tail.micros(99.9)))
              .column(
                  "p99.9 / p50", tail -> FigureText.decimal(tail.micros(99.9) / tail.micros(50), 2))
              .column("max, µs", tail -> FigureText.whole(tail.micros(100)))
              .markdown(tails));
    }
  }

  private Tail tail(Cell cell, String product) {
    return new Tail(cell, product, comparison.latency(cell, product));
  }

  /**
   * Appends the experiment that the first published measurement of a directory server asked for.
   */
  private void appendHistogram(StringBuilder out, Cell cell) {
    LatencyTable slapd = LatencyTable.of(comparison.latency(cell, SLAPD));
    LatencyTable nyala = LatencyTable.of(comparison.latency(cell, NYALA));
    out.append(
        String.format(
            Locale.ROOT,
            "%nEvery one of so many entries modified once, by %d clients:%n%n",
            cell.connections()));
    out.append(
        new ReportTable<Integer>()
            .column("time", LatencyTable::label)
            .column("slapd", row -> Long.toString(slapd.count(row)))
            .column("%", row -> percent(slapd.count(row), slapd.total()))
            .column("Nyala", row -> Long.toString(nyala.count(row)))
            .column("%", row -> percent(nyala.count(row), nyala.total()))
            .markdown(
                IntStream.range(0, LatencyTable.ROWS)
                    .filter(row -> slapd.count(row) + nyala.count(row) > 0)
                    .boxed()
                    .toList()));
    out.append(
        String.format(
            Locale.ROOT,
            "| all; mean in ms | %d | %s | %d | %s |%n",
            slapd.total(),
            mean(slapd),
            nyala.total(),
            mean(nyala)));
  }

  private static String mean(LatencyTable times) {
    return FigureText.decimal(times.meanMicros() / 1e3, 2);
  }

  private static String percent(long part, long all) {
    return FigureText.decimal(all == 0 ? Double.NaN : 100.0 * part / all, 1);
  }

  /** The report for programs: the circumstances, both servers side by side, every result. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    json.add("facts", ResultJson.texts(facts));
    json.addProperty("kind", "comparison");
    if (comparison.isOfFewRounds()) {
      json.addProperty("warning", RatioInterval.WARNING);
    }
    json.add("sideBySide", comparison.sideBySide());
    json.add("results", comparison.json());
    return json;
  }
}
