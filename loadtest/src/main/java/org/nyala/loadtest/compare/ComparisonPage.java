package org.nyala.loadtest.compare;

import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.nyala.loadtest.compare.Comparison.Cell;
import org.nyala.loadtest.compare.Comparison.Figures;
import org.nyala.loadtest.format.BarChart;
import org.nyala.loadtest.format.HtmlPage;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.format.Scale;
import org.nyala.loadtest.report.LoadPage;
import org.nyala.loadtest.result.LoadReport;

/** Shows a comparison of Nyala and slapd as a page. Confined to the thread that compares. */
final class ComparisonPage {
  private static final String SLAPD = "slapd";
  private static final String NYALA = "nyala";

  private final Comparison comparison;
  private final Map<String, String> facts;

  ComparisonPage(Comparison comparison, Map<String, String> facts) {
    this.comparison = comparison;
    this.facts = facts;
  }

  /** The page. */
  HtmlPage html() {
    HtmlPage page = new HtmlPage("Nyala and slapd side by side");
    page.element(
        "p",
        "The same people in both servers, asked in turn, round by round. Figures are medians of the"
            + " rounds; of slapd's settings the fastest counts for each job. A ratio is Nyala's"
            + " figure to slapd's in the same round: its median, and in brackets its extremes. The"
            + " loop is closed: each client sends once its last answer has come.");
    ReportTable table =
        new ReportTable(
            "job",
            "slapd/s",
            "Nyala/s",
            "ratio",
            "slapd CPU",
            "Nyala CPU",
            "ratio",
            "failed",
            "connections lost");
    comparison.cells().forEach(cell -> row(table, cell));
    page.table(table);
    for (Cell cell : comparison.cells()) {
      appendCell(page, cell);
    }
    LoadPage.appendFacts(page, facts);
    return page;
  }

  private void row(ReportTable table, Cell cell) {
    Figures slapd = comparison.best(cell, SLAPD);
    Figures nyala = comparison.best(cell, NYALA);
    table.row(
        name(cell),
        count(slapd.rate()),
        count(nyala.rate()),
        spread(cell, LoadReport::rate),
        LoadPage.latency(slapd.serverCpuMicros()),
        LoadPage.latency(nyala.serverCpuMicros()),
        spread(cell, LoadReport::serverCpuMicros),
        Scale.grouped(slapd.failed() + nyala.failed()),
        Scale.grouped(slapd.lost() + nyala.lost()));
  }

  private static String name(Cell cell) {
    return cell.job()
        + ", "
        + cell.connections()
        + (cell.connections() == 1 ? " client" : " clients");
  }

  private static String count(double rate) {
    return Double.isNaN(rate) ? "-" : Scale.grouped(Math.round(rate));
  }

  private String spread(Cell cell, ToDoubleFunction<LoadReport> figure) {
    return comparison.ratios(cell, NYALA, SLAPD, figure).text();
  }

  private void appendCell(HtmlPage page, Cell cell) {
    page.element("h3", name(cell));
    BarChart rates = new BarChart("per second");
    BarChart middle = new BarChart("p50");
    BarChart slowest = new BarChart("p99");
    for (String product : new String[] {SLAPD, NYALA}) {
      Figures figures = comparison.best(cell, product);
      String server = figures.server();
      rates.bar(server, figures.rate(), count(figures.rate()));
      middle.bar(server, figures.p50Micros(), LoadPage.latency(figures.p50Micros()));
      slowest.bar(server, figures.p99Micros(), LoadPage.latency(figures.p99Micros()));
    }
    page.charts(rates, middle, slowest);
  }
}
