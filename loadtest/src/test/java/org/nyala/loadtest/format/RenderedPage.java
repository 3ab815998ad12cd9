package org.nyala.loadtest.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.net.URI;
import java.net.URL;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.htmlunit.MockWebConnection;
import org.htmlunit.WebClient;
import org.htmlunit.html.DomElement;
import org.htmlunit.html.HtmlPage;
import org.xml.sax.InputSource;

/**
 * A page of results after its script has run in a browser without a window. Anything that the page
 * would load, and any error of the script, is a failure. Confined to one thread.
 */
public final class RenderedPage implements AutoCloseable {
  private final WebClient client = new WebClient();
  private final HtmlPage page;

  /** Renders a page, after a look at its text: well-formed, and nothing to be loaded. */
  public RenderedPage(String html) throws Exception {
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(html)));
    assertThat(html)
        .contains("uPlot=function", "Content-Security-Policy", "default-src 'none'")
        .doesNotContain("src=\"", "src='", "href=", "@import", "url(", "<link");
    URL address = URI.create("http://localhost/report.html").toURL();
    MockWebConnection onlyThis = new MockWebConnection();
    onlyThis.setResponse(address, withoutSpread(html), "text/html", UTF_8);
    client.setWebConnection(onlyThis);
    page = client.getPage(address);
    assertThat(page.getElementsByTagName("h1")).as("the script has run").hasSize(1);
    assertThat(page.getElementsByTagName("script")).hasSize(2);
    assertThat(text()).contains("Circumstances").doesNotContain("NaN", "undefined", "null");
  }

  /**
   * The page with calls of {@code apply} instead of the library's spread arguments, which the
   * browser without a window does not know.
   */
  private static String withoutSpread(String html) {
    String array = "((?:[^()]|\\([^()]*\\))*)";
    String page =
        html.replaceAll("(\\w+)\\.push\\(\\.\\.\\." + array + "\\)", "$1.push.apply($1,$2)")
            .replaceAll("(\\w+)\\(\\.\\.\\." + array + "\\)", "$1.apply(null,$2)")
            .replaceAll("\\{\\.\\.\\.(\\w+),([^{}]*)}", "Object.assign({},$1,{$2})");
    assertThat(page).doesNotContainPattern("[(,\\[{]\\.\\.\\.\\w");
    return page;
  }

  /** The text that is to be read. */
  public String text() {
    return page.asNormalizedText();
  }

  /** The number of charts. */
  public int charts() {
    return page.getElementsByTagName("canvas").getLength();
  }

  /** The names of what charts show. */
  public List<String> legends() {
    return page.querySelectorAll(".u-legend th").stream()
        .map(name -> name.getTextContent())
        .toList();
  }

  /** The texts of elements of this name. */
  public List<String> texts(String element) {
    return page.getElementsByTagName(element).stream().map(DomElement::getTextContent).toList();
  }

  /** The value of a script's variable. */
  public Object evaluate(String script) {
    return page.executeJavaScript(script).getJavaScriptResult();
  }

  @Override
  public void close() {
    client.close();
  }
}
