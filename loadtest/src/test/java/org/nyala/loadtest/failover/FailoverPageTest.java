package org.nyala.loadtest.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.unboundid.util.json.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.format.RenderedPage;
import org.nyala.loadtest.workload.ExitCode;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** The page of {@code failover --report}. */
class FailoverPageTest {
  private static final int REGISTERS = 2;

  /** A command of the shell whose text would be markup, and whose output is. */
  private static final String HOSTILE =
      "echo '</script><img src=x onerror=window.injected=1 />]]>&amp;\u0001'; exit 7";

  @TempDir private Path folder;

  private final LoadTester tester = new LoadTester();

  private int run(Loss loss, String... options) throws Exception {
    try (LossyServers servers =
        LossyServers.start(loss, 2, REGISTERS, 30, new Random(Seeds.seed()))) {
      List<String> all = new ArrayList<>(List.of("failover", "--writes"));
      servers
          .servers()
          .forEach(each -> all.add("--url=ldap://127.0.0.1:" + each.address().getPort()));
      all.addAll(List.of("--registers=2", "--settle-seconds=0.1", "--quiet", "--report=" + folder));
      all.addAll(List.of(options));
      return tester.run(all.toArray(String[]::new));
    }
  }

  private String html() throws Exception {
    return Files.readString(folder.resolve("report.html"));
  }

  /** The texts of elements of the page before its script has run. */
  private List<String> texts(String element) throws Exception {
    Document page =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(folder.resolve("report.html").toFile());
    NodeList found = page.getElementsByTagName(element);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      texts.add(found.item(i).getTextContent());
    }
    return texts;
  }

  @Test
  void shouldBeReadWithoutItsScript() throws Exception {
    int exit = run(Loss.LOST_ADD, "--operations=200", "--writes-per-second=0", "--password=geheim");

    assertThat(exit).as(tester.err()).isEqualTo(ExitCode.FAILED);
    assertThat(tester.out()).contains("report: " + folder.resolve("report.html"));
    String verdict = tester.out().lines().findFirst().orElseThrow();
    assertThat(verdict).contains(" acknowledged writes is lost; ");
    assertThat(texts("title")).containsExactly("Failover of 2 servers");
    assertThat(texts("p").getFirst()).isEqualTo(verdict);
    assertThat(texts("h2"))
        .containsExactly(
            "Servers",
            "Faults",
            "What is not as it was acknowledged",
            "Order of reads and writes",
            "Second by second",
            "Circumstances");
    assertThat(texts("h3")).contains("Lost: 1");
    assertThat(texts("p")).contains("There was no fault.");
    assertThat(texts("noscript")).isEmpty();
    assertThat(html())
        .doesNotContain("geheim")
        .contains("--password=***", "data-name=\"acknowledged writes\"");
    // Each cell has its name for narrow pages, but for the facts.
    long cells = texts("td").size() - 2L * results().getFieldAsObject("facts").getFields().size();
    assertThat(html().split("<td data-name=\"", -1)).hasSize((int) cells + 1);
  }

  private JSONObject results() throws Exception {
    return new JSONObject(Files.readString(folder.resolve("results.json")));
  }

  @Test
  void shouldDrawWhoAnsweredAndTheGap() throws Exception {
    assertThat(run(Loss.NONE, "--seconds=2", "--fault=command:true@1s"))
        .as(tester.err())
        .isEqualTo(ExitCode.OK);

    try (RenderedPage page = new RenderedPage(html())) {
      assertThat(page.charts()).isEqualTo(4);
      assertThat(page.texts("h1")).containsExactly("Failover of 2 servers");
      assertThat(page.text())
          .contains("The broken vertical lines are the faults.", "command:true@1s")
          .contains("Nothing was found that is not.", "First answers of each server after them");
      assertThat(page.legends()).contains("A " + url(0), "B " + url(1), "all servers");
    }
    List<?> pauses = results().getFieldAsArray("pauseMicrosBySecond");
    assertThat(pauses).hasSizeBetween(2, 4);
    double gap = results().getFieldAsBigDecimal("gapSeconds").doubleValue();
    double longest =
        pauses.stream().mapToDouble(each -> Double.parseDouble(each.toString())).max().orElse(0);
    // The document has whole milliseconds, which a short gap shows.
    assertThat(longest / 1e6).isCloseTo(gap, within(Math.max(gap / 100, 0.001)));
  }

  private String url(int server) throws Exception {
    return ((JSONObject) results().getFieldAsArray("servers").get(server)).getFieldAsString("url");
  }

  @Test
  void shouldShowTextsAsTexts() throws Exception {
    assertThat(run(Loss.NONE, "--seconds=1", "--fault=command:" + HOSTILE + "@0.1s"))
        .as(tester.err())
        .isEqualTo(ExitCode.OK);

    assertThat(texts("img")).isEmpty();
    assertThat(texts("td")).anySatisfy(each -> assertThat(each).contains("exit code 7: </script>"));
    try (RenderedPage page = new RenderedPage(html())) {
      assertThat(page.evaluate("typeof window.injected")).isEqualTo("undefined");
      assertThat(page.texts("img")).isEmpty();
    }
  }

  @Test
  void shouldMakeThePageOfAHistoryAgain() throws Exception {
    Path history = folder.resolve("history");
    assertThat(run(Loss.LOST_ADD, "--operations=200", "--history=" + history))
        .isEqualTo(ExitCode.FAILED);
    Path again = folder.resolve("again");

    assertThat(tester.run("failover", "check", "--history=" + history, "--report=" + again))
        .isEqualTo(ExitCode.FAILED);

    String page = Files.readString(again.resolve("report.html"));
    assertThat(page).contains("nyala-loadtest failover check --history=");
    assertThat(body(page)).isEqualTo(body(html()));
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThat(tester.run("failover", "check", "--history=" + history, "--report=" + file))
        .isEqualTo(ExitCode.FAILED);
    assertThat(tester.err())
        .contains("--report: the file " + file + " cannot be used: it exists already, and is no");
  }

  /** The text of a page before the circumstances. */
  private static String body(String page) {
    return page.substring(page.indexOf("<main>"), page.indexOf("<h2>Circumstances"));
  }
}
