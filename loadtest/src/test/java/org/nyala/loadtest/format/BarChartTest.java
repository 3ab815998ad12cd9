package org.nyala.loadtest.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class BarChartTest {
  private static Document parse(String xml) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(xml)));
  }

  private static double width(NodeList bars, int index) {
    return Double.parseDouble(((Element) bars.item(index)).getAttribute("width"));
  }

  @Test
  void shouldDrawBarsInProportion() throws Exception {
    BarChart chart = new BarChart("ops/s");
    chart.bar("half", 50, "50");
    chart.bar("whole", 100, "100");

    NodeList bars = parse(chart.svg()).getElementsByTagName("rect");
    assertThat(bars.getLength()).isEqualTo(2);
    assertThat(width(bars, 0) * 2).isEqualTo(width(bars, 1));
  }

  @Test
  void shouldLeaveOutWhatWasNotMeasured() {
    BarChart chart = new BarChart("us");
    chart.bar("none", Double.NaN, "-");

    assertThat(chart.svg()).isEmpty();
  }

  @Test
  void shouldEscapeLabels() throws Exception {
    BarChart chart = new BarChart("a < b & \"c\"");
    chart.bar("<sharded>", 1, "1");

    Document parsed = parse(chart.svg());
    assertThat(parsed.getDocumentElement().getAttribute("aria-label")).isEqualTo("a < b & \"c\"");
    assertThat(parsed.getDocumentElement().getTextContent()).contains("<sharded>");
  }
}
