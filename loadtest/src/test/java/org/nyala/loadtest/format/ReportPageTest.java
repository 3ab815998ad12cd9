package org.nyala.loadtest.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class ReportPageTest {
  private static final String HOSTILE =
      "</script><script>window.injected = 1</script><img onerror='window.injected = 1'/>"
          + "]]>-->&amp;\u2028\u2029\\u003cb>";

  /** A search for the knee, in which every text is hostile. */
  private static JsonObject results(String text) {
    JsonObject results =
        JsonParser.parseString(
                """
                {"facts": {}, "kind": "knee", "secondsOfAStep": 1, "secondsOfALongStep": 3,
                 "knee": {"rate": 2000, "higherNotTried": true, "boundP99Micros": 5000, "boundErrorPercent": 1,
                   "steps": [
                     {"wantedRate": 1000, "rate": 1000, "p50Micros": 100, "p99Micros": 300, "errorPercent": 0, "held": true,
                      "passed": "", "long": false, "disturbed": false},
                     {"wantedRate": 2000, "rate": 1999, "p50Micros": null, "p99Micros": null, "errorPercent": 0.5, "held": true,
                      "passed": "", "long": true, "disturbed": true}]}}
                """)
            .getAsJsonObject();
    results.addProperty("job", text);
    results.addProperty("url", text);
    results.getAsJsonObject("facts").addProperty(text, text);
    return results;
  }

  @Test
  void shouldShowTextsOfServersAsTexts() throws Exception {
    try (RenderedPage page = new RenderedPage(ReportPage.of(results(HOSTILE)))) {
      assertThat(page.evaluate("typeof window.injected")).isEqualTo("undefined");
      assertThat(page.texts("h1")).containsExactly("The knee: " + HOSTILE + ", " + HOSTILE);
      assertThat(page.texts("td")).contains(HOSTILE);
      assertThat(page.texts("img")).isEmpty();
    }
  }

  /** The text of the results cannot leave its element, neither in HTML nor in XML. */
  @Test
  void shouldEscapeWhatCouldEndTheElement() throws Exception {
    String html = ReportPage.of(results(HOSTILE));

    int begin = html.indexOf("type=\"application/json\">");
    String json = html.substring(begin, html.indexOf("</script>", begin));
    assertThat(json.substring(json.indexOf('>') + 1))
        .contains("\\u003c/script\\u003e")
        .doesNotContain("<", ">", "&", "\u2028", "\u2029");
    assertThat(JsonParser.parseString(json.substring(json.indexOf('>') + 1)))
        .isEqualTo(results(HOSTILE));
  }

  /** A policy with another hash would forbid the script, which only a real browser shows. */
  @Test
  void shouldAllowItsOwnScriptOnly() throws Exception {
    String html = ReportPage.of(results("search"));
    Document page =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(html)));

    int begin = html.indexOf("<script>") + "<script>".length();
    String script = html.substring(begin, html.indexOf("</script>", begin));
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
    assertThat(html)
        .contains("script-src 'sha256-" + Base64.getEncoder().encodeToString(digest) + "'");
    assertThat(script).contains("Permission is hereby granted", "leeoniya/uPlot");
    assertThat(page.getElementsByTagName("script").getLength()).isEqualTo(2);
  }

  /** Evaluates an expression with the functions of the page for labels, in a window of a width. */
  private static String ofLabels(RenderedPage page, int width, String expression) {
    String script = page.texts("script").getLast();
    String labels =
        script.substring(script.indexOf("const LABEL_PIXELS"), script.indexOf("const bars"));
    return page.evaluate(
            "(() => { const WIDTH = "
                + width
                + ", isNarrow = WIDTH < 480; "
                + labels
                + " return String("
                + expression
                + "); })()")
        .toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {326, 466, 1100})
  void shouldKeepTheEndsOfLongLabelsAndHalfOfTheWidthForBars(int width) throws Exception {
    try (RenderedPage page = new RenderedPage(ReportPage.of(results("search")))) {
      String longest = "labelOf('ldap://server.example.com:'.repeat(9) + '(2)')";
      assertThat(ofLabels(page, width, longest)).startsWith("ldap://serve…").endsWith(":(2)");
      assertThat(ofLabels(page, width, "labelOf('ldap://a (2)')")).isEqualTo("ldap://a (2)");
      String size = ofLabels(page, width, "textSize([" + longest + "], 110)");
      assertThat(Double.parseDouble(size)).isBetween(110.0, width / 2.0);
      assertThat(Double.parseDouble(size))
          .isGreaterThanOrEqualTo(7 * ofLabels(page, width, longest).length());
    }
  }

  @Test
  void shouldLeaveOutWhatWasNotMeasured() throws Exception {
    JsonObject results = results("search");
    try (RenderedPage page = new RenderedPage(ReportPage.of(results))) {
      assertThat(page.charts()).isEqualTo(2);
      assertThat(page.legends())
          .containsExactly(
              "wanted operations/s",
              "p99",
              "p50",
              "bound of p99",
              "wanted operations/s",
              "done",
              "wanted");
      assertThat(page.text())
          .contains("Highest rate held: 2,000 operations/s, the highest allowed")
          .contains("1,000\t1\t1,000\t100 µs\t300 µs\t0\tyes")
          .contains("2,000\t3\t1,999\t-\t-\t0.5\tyes\t(disturbed)");
    }
    results.getAsJsonObject("knee").getAsJsonArray("steps").remove(0);
    try (RenderedPage page = new RenderedPage(ReportPage.of(results))) {
      assertThat(page.charts()).as("rates, but no times").isEqualTo(1);
    }
  }
}
