package org.nyala.loadtest.jmh;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.loadtest.format.BarChart;
import org.nyala.loadtest.format.HtmlPage;
import org.nyala.loadtest.format.ReportTable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;

/** A report of the results of benchmarks as Markdown, HTML and JSON. Confined to one thread. */
final class BenchmarkReport {
  private static final String TITLE = "Nyala: benchmarks";
  private static final String DEFAULT = DispatchStrategies.DEFAULT;

  private final Map<String, String> facts;
  private final Collection<RunResult> results;

  /** The rows of each suite, by the circumstances they have in common. */
  private final Map<BenchmarkSuite, Map<String, List<BenchmarkRow>>> suites =
      new EnumMap<>(BenchmarkSuite.class);

  private final StringBuilder markdown = new StringBuilder(16 * 1024);
  private final HtmlPage html = new HtmlPage(TITLE);

  /**
   * Sorts the results.
   *
   * @param facts the circumstances
   * @param results the results of JMH
   */
  BenchmarkReport(Map<String, String> facts, Collection<RunResult> results) {
    this.facts = facts;
    this.results = results;
    for (RunResult result : results) {
      BenchmarkRow row = BenchmarkRow.of(result);
      suites
          .computeIfAbsent(row.suite(), _ -> new LinkedHashMap<>())
          .computeIfAbsent(row.circumstances(), _ -> new ArrayList<>())
          .add(row);
    }
  }

  /** Writes {@code report.md}, {@code report.html} and {@code results.json}; makes the folder. */
  void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    markdown.append("# ").append(TITLE).append("\n\n");
    ReportTable circumstances = new ReportTable("circumstances", "");
    facts.forEach(circumstances::row);
    table(circumstances);
    suites.forEach(this::suite);
    Files.writeString(folder.resolve("report.md"), markdown);
    Files.writeString(folder.resolve("report.html"), html.toString());
    Files.writeString(folder.resolve("results.json"), json() + System.lineSeparator());
  }

  private void suite(BenchmarkSuite suite, Map<String, List<BenchmarkRow>> groups) {
    heading("h2", "## ", suite.title());
    heading("p", "", suite.text());
    overview(groups);
    groups.forEach(this::group);
  }

  /** Compares the default strategy with the best of the others, if latencies were measured. */
  private void overview(Map<String, List<BenchmarkRow>> groups) {
    ReportTable table =
        new ReportTable(
            "regime",
            "best of the others",
            "its ops/s",
            DEFAULT + " / best",
            "least p99 of the others",
            "its p99 us",
            DEFAULT + " / least");
    groups.forEach((circumstances, rows) -> compare(table, circumstances, rows));
    if (!table.isEmpty()) {
      heading("h3", "### ", DEFAULT + " beside the best of the others");
      table(table);
    }
  }

  private static void compare(ReportTable table, String circumstances, List<BenchmarkRow> rows) {
    Optional<BenchmarkRow> own = rows.stream().filter(BenchmarkReport::isDefault).findFirst();
    List<BenchmarkRow> others =
        rows.stream().filter(row -> row.hasLatencies() && !isDefault(row)).toList();
    if (own.isEmpty() || others.isEmpty()) {
      return;
    }
    BenchmarkRow best = greatest(others, BenchmarkRow::score);
    BenchmarkRow soonest = greatest(others, row -> -row.p99Micros());
    table.row(
        circumstances,
        best.label(),
        figure(best.score()),
        figure(own.get().score() / best.score()),
        soonest.label(),
        figure(soonest.p99Micros()),
        figure(own.get().p99Micros() / soonest.p99Micros()));
  }

  private static boolean isDefault(BenchmarkRow row) {
    return row.label().equals(DEFAULT);
  }

  private static BenchmarkRow greatest(
      List<BenchmarkRow> rows, ToDoubleFunction<BenchmarkRow> figure) {
    BenchmarkRow greatest = rows.getFirst();
    for (BenchmarkRow row : rows) {
      greatest = figure.applyAsDouble(row) > figure.applyAsDouble(greatest) ? row : greatest;
    }
    return Objects.requireNonNull(greatest);
  }

  private void group(String circumstances, List<BenchmarkRow> rows) {
    BenchmarkRow first = rows.getFirst();
    String compared = first.suite().compared();
    String name = compared.isEmpty() ? "benchmark" : compared;
    BarChart scores = new BarChart(first.unit());
    rows.forEach(row -> scores.bar(row.label(), row.score(), figure(row.score())));
    heading("h3", "### ", circumstances);
    if (!first.hasLatencies()) {
      html.charts(scores);
      table(plain(name, rows));
      return;
    }
    BarChart slowest = new BarChart("p99, us");
    rows.forEach(row -> slowest.bar(row.label(), row.p99Micros(), figure(row.p99Micros())));
    html.charts(scores, slowest);
    table(withLatencies(name, rows));
  }

  private static ReportTable plain(String name, List<BenchmarkRow> rows) {
    ReportTable table = new ReportTable(name, rows.getFirst().unit(), "±", "bytes/op");
    for (BenchmarkRow row : rows) {
      table.row(row.label(), figure(row.score()), figure(row.error()), figure(row.bytes()));
    }
    return table;
  }

  private static ReportTable withLatencies(String name, List<BenchmarkRow> rows) {
    ReportTable table =
        new ReportTable(
            name,
            rows.getFirst().unit(),
            "±",
            "of the best",
            "p50 us",
            "p99 us",
            "p99.9 us",
            "bytes/op");
    double best = greatest(rows, BenchmarkRow::score).score();
    for (BenchmarkRow row : rows) {
      table.row(
          row.label(),
          figure(row.score()),
          figure(row.error()),
          figure(row.score() / best),
          figure(row.p50Micros()),
          figure(row.p99Micros()),
          figure(row.p999Micros()),
          figure(row.bytes()));
    }
    return table;
  }

  private void heading(String element, String mark, String text) {
    html.element(element, text);
    markdown.append(mark).append(text).append("\n\n");
  }

  private void table(ReportTable table) {
    html.table(table);
    markdown.append(table.markdown());
  }

  /** Formats a figure to three digits, or whole. */
  private static String figure(double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    double size = Math.abs(value);
    String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }

  /** The circumstances, and the results as JMH writes them. */
  private String json() {
    JsonObject circumstances = new JsonObject();
    facts.forEach(circumstances::addProperty);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream print = new PrintStream(out, false, StandardCharsets.UTF_8);
    ResultFormatFactory.getInstance(ResultFormatType.JSON, print).writeOut(results);
    print.flush();
    JsonObject json = new JsonObject();
    json.add("facts", circumstances);
    json.add("results", JsonParser.parseString(out.toString(StandardCharsets.UTF_8)));
    return json.toString();
  }
}
