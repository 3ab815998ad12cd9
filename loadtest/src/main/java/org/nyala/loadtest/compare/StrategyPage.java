package org.nyala.loadtest.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.nyala.loadtest.compare.StrategyResults.Cell;
import org.nyala.loadtest.compare.StrategyResults.Figures;
import org.nyala.loadtest.format.BarChart;
import org.nyala.loadtest.format.BarLineChart;
import org.nyala.loadtest.format.Chart;
import org.nyala.loadtest.format.HtmlPage;
import org.nyala.loadtest.format.Scale;
import org.nyala.loadtest.report.LoadPage;

/**
 * Dispatch strategies as pictures, in the way in which the experiment of 2005 was shown: bars for
 * throughput and lines for polls per second, by the number of connections. Confined to one thread.
 */
final class StrategyPage {
  /** Strategies that answer a question together. Immutable. */
  private record Question(String title, List<String> strategies) {}

  private static final List<Question> QUESTIONS =
      List.of(
          new Question(
              "The experiment of 2005: does it help to read no more than workers can take?",
              List.of("single-queue", "load-conditioned")),
          new Question(
              "The same where workers decode", List.of("lightweight", "lightweight-conditioned")),
          new Question(
              "The others",
              List.of(
                  "adaptive", "run-to-completion", "striped", "virtual-threads", "multi-queue")));

  private final Map<String, String> facts;
  private final Map<Cell, Map<String, Figures>> figures;

  /**
   * Takes the results.
   *
   * @param figures medians of the measurements, by strategy
   */
  StrategyPage(Map<String, String> facts, Map<Cell, Map<String, Figures>> figures) {
    this.facts = facts;
    this.figures = figures;
  }

  /** The picture of each question that was measured, by the settings of the server. */
  Map<String, List<BarLineChart>> charts() {
    Map<String, Map<String, BarLineChart>> bySettings = new TreeMap<>();
    figures.forEach(
        (cell, byStrategy) -> {
          OptionalInt connections = cell.regime().connectionsOfCheapReads();
          if (connections.isPresent()) {
            Map<String, BarLineChart> charts =
                bySettings.computeIfAbsent(cell.settings(), _ -> new TreeMap<>());
            for (int i = 0; i < QUESTIONS.size(); i++) {
              add(charts, i, connections.getAsInt(), byStrategy);
            }
          }
        });
    Map<String, List<BarLineChart>> all = new TreeMap<>();
    bySettings.forEach((settings, charts) -> all.put(settings, List.copyOf(charts.values())));
    return all;
  }

  private static void add(
      Map<String, BarLineChart> charts,
      int question,
      int connections,
      Map<String, Figures> byStrategy) {
    Question asked = QUESTIONS.get(question);
    for (String strategy : asked.strategies()) {
      Figures figures = byStrategy.get(strategy);
      if (figures != null) {
        charts
            .computeIfAbsent(
                question + asked.title(),
                _ -> new BarLineChart(asked.title(), "searches/s", "polls/s", "connections"))
            .add(connections, strategy, figures.rate(), figures.pollsPerSecond());
      }
    }
  }

  /** The page. */
  HtmlPage html() {
    HtmlPage page = new HtmlPage("Nyala: dispatch strategies side by side");
    page.element(
        "p",
        "Medians of the rounds. Polls are how often event loops ask the kernel what is ready, in all"
            + " of the server.");
    charts()
        .forEach(
            (settings, charts) -> {
              page.element(
                  "h2",
                  settings.isEmpty()
                      ? "Searches and polls by connections"
                      : "Searches and polls by connections: " + settings);
              page.charts(charts.toArray(Chart[]::new));
            });
    figures.forEach((cell, byStrategy) -> appendCell(page, cell, byStrategy));
    LoadPage.appendFacts(page, facts);
    return page;
  }

  private static void appendCell(HtmlPage page, Cell cell, Map<String, Figures> byStrategy) {
    page.element(
        "h2",
        cell.regime().label()
            + ": "
            + cell.regime().description()
            + (cell.settings().isEmpty() ? "" : ", " + cell.settings()));
    BarChart rates = new BarChart("operations/s");
    BarChart times = new BarChart("p99");
    BarChart processor = new BarChart("server CPU for each, us");
    BarChart polls = new BarChart("polls for each operation");
    byStrategy.forEach(
        (strategy, figures) -> {
          rates.bar(strategy, figures.rate(), Scale.grouped(Math.round(figures.rate())));
          times.bar(strategy, figures.p99Micros(), LoadPage.latency(figures.p99Micros()));
          processor.bar(strategy, figures.cpuMicros(), shortly(figures.cpuMicros()));
          polls.bar(strategy, figures.pollsPerOperation(), shortly(figures.pollsPerOperation()));
        });
    List<Chart> charts = new ArrayList<>(List.of(rates, times, processor, polls));
    page.charts(charts.toArray(Chart[]::new));
  }

  private static String shortly(double value) {
    return Scale.trimmed(Math.rint(value * 1000) / 1000);
  }
}
