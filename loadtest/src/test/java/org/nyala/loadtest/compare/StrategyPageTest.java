package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.compare.StrategyResults.Cell;
import org.nyala.loadtest.compare.StrategyResults.Figures;
import org.nyala.loadtest.format.BarLineChart;
import org.nyala.loadtest.format.LineChartTest;
import org.w3c.dom.Document;

class StrategyPageTest {
  private static Map<Cell, Map<String, Figures>> figures(Scenario... regimes) {
    Map<Cell, Map<String, Figures>> all = new LinkedHashMap<>();
    for (Scenario regime : regimes) {
      Map<String, Figures> figures = new LinkedHashMap<>();
      figures.put("single-queue", new Figures(1000, 500, 20, 0.5, 500));
      figures.put("load-conditioned", new Figures(1150, 400, 18, 0.1, 115));
      all.put(new Cell(regime, ""), figures);
    }
    return all;
  }

  @Test
  void shouldDrawTheExperimentOf2005() throws Exception {
    StrategyPage page =
        new StrategyPage(Map.of("cores", "2"), figures(Scenario.CHEAP_128, Scenario.CHEAP_10000));

    List<BarLineChart> charts = page.charts().get("");
    assertThat(charts).hasSize(1);
    Document svg = LineChartTest.parse(charts.getFirst().svg());
    assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(4);
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("load-conditioned, 10,000 connections: 1,150 searches/s, 115 polls/s");
    LineChartTest.parse(page.html().toString());
    assertThat(page.html().toString()).doesNotContain("http:", "https:", "NaN");
  }

  @Test
  void shouldDrawOtherLoadsWithBarsOnly() throws Exception {
    StrategyPage page = new StrategyPage(Map.of(), figures(Scenario.SCANS));

    assertThat(page.charts()).isEmpty();
    Document html = LineChartTest.parse(page.html().toString());
    assertThat(html.getElementsByTagName("svg").getLength()).isEqualTo(4);
  }
}
