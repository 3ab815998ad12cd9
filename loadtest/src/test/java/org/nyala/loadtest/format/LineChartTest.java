package org.nyala.loadtest.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.format.LineChart.Point;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

public class LineChartTest {
  public static Document parse(String xml) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(xml)));
  }

  @Test
  void shouldDrawALineThroughItsPoints() throws Exception {
    String svg =
        new LineChart("ops/s", "seconds", Scale.linear(Scale::count), Scale.linear(Scale::count))
            .line("all", List.of(new Point(0, 0), new Point(5, 50), new Point(10, 100)))
            .svg();

    Element line = (Element) parse(svg).getElementsByTagName("polyline").item(0);
    String[] points = line.getAttribute("points").trim().split(" ", -1);
    assertThat(points).hasSize(3);
    double[] first = numbers(points[0]);
    double[] middle = numbers(points[1]);
    double[] last = numbers(points[2]);
    assertThat(middle[0] * 2).isEqualTo(first[0] + last[0]);
    assertThat(middle[1] * 2).isEqualTo(first[1] + last[1]);
    assertThat(last[1]).isLessThan(first[1]);
  }

  private static double[] numbers(String point) {
    String[] parts = point.split(",", -1);
    return new double[] {Double.parseDouble(parts[0]), Double.parseDouble(parts[1])};
  }

  @Test
  void shouldLeaveOutWhatWasNotMeasured() {
    LineChart chart =
        new LineChart(
            "us", "seconds", Scale.linear(Scale::count), Scale.logarithmic(Scale::micros));
    chart.line("none", List.of(new Point(1, Double.NaN)));

    assertThat(chart.svg()).isEmpty();
  }

  @Test
  void shouldNameItsLines() throws Exception {
    Document svg =
        parse(
            new LineChart("a & b", "%", Scale.percentiles(), Scale.logarithmic(Scale::micros))
                .line("from <send>", List.of(new Point(50, 100), new Point(99, 2000)))
                .line("from intent", List.of(new Point(50, 200), new Point(99, 90_000)))
                .svg());

    assertThat(svg.getDocumentElement().getTextContent()).contains("from <send>", "from intent");
    assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(2);
  }

  @Test
  void shouldDrawBarsByOneSideAndLinesByTheOther() throws Exception {
    BarLineChart chart = new BarLineChart("2005", "searches/s", "polls/s", "connections");
    chart.add(128, "single-queue", 1000, 500);
    chart.add(128, "load-conditioned", 2000, 50);
    chart.add(16, "single-queue", 1000, 400);

    Document svg = parse(chart.svg());
    assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(4);
    assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(3);
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("load-conditioned, 128 connections: 2,000 searches/s, 50 polls/s");
    assertThat(new BarLineChart("", "", "", "").svg()).isEmpty();
    assertThat(parse(HtmlPage.svgFile(chart)).getDocumentElement().getTagName()).isEqualTo("svg");
  }
}
