package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.loadtest.workload.LoadTestException;
import picocli.CommandLine;

class ResultsPageTest {
  private static final String BEGIN = ResultsPage.BEGIN + "\n";
  private static final String END = ResultsPage.END + "\n";

  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void namePage() {
    file = folder.resolve("2026-11-two-servers.md");
  }

  @Test
  void shouldWriteTablesAnewAndKeepTheWordsAroundThem() throws Exception {
    Files.writeString(
        file, "# Title\n\nWhy.\n\n" + BEGIN + "old\ntable\n" + END + "\nWhat it means.\n");

    ResultsPage.open(file).write("| new |\n", "{}");

    assertThat(file)
        .hasContent("# Title\n\nWhy.\n\n" + BEGIN + "\n| new |\n\n" + END + "\nWhat it means.\n");
    assertThat(folder.resolve("2026-11-two-servers.json")).hasContent("{}\n");

    String once = Files.readString(file);
    ResultsPage.open(file).write("| new |\n", "{}");
    assertThat(file).as("the same tables change nothing").hasContent(once);
  }

  @Test
  void shouldBeginAPageThatIsNotThere() throws Exception {
    ResultsPage.open(file).write("| first |\n", "{}");
    ResultsPage.open(file).write("| second |\n", "{}");

    assertThat(file)
        .hasContent("# Nyala and slapd side by side\n\n" + BEGIN + "\n| second |\n\n" + END);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no marks\n",
        "<!-- measured -->\nno end\n",
        "<!-- /measured -->\n<!-- measured -->\n",
        "see <!-- measured -->\n<!-- /measured -->\n",
        "<!-- measured -->\n<!-- measured -->\n<!-- /measured -->\n",
      })
  void shouldRefuseAPageWithoutOnePairOfMarks(String page) throws Exception {
    Files.writeString(file, page);

    assertThatThrownBy(() -> ResultsPage.open(file))
        .isInstanceOf(LoadTestException.class)
        .hasMessageContaining(ResultsPage.BEGIN);
    assertThat(file).hasContent(page);
  }

  @ParameterizedTest
  @ValueSource(strings = {"page.html", "no/such/folder/page.md"})
  void shouldSayBeforeMeasuringThatThePageCannotBeWritten(String name) {
    Path impossible = folder.resolve(name);

    assertThatThrownBy(() -> ResultsPage.open(impossible))
        .isInstanceOf(LoadTestException.class)
        .hasMessageContaining(name);
    BenchCommand bench =
        new BenchCommand(
            () -> {
              throw new AssertionError("benchmarks were not requested");
            });
    assertThat(new CommandLine(bench).execute("--page=" + impossible)).isEqualTo(1);
    assertThat(folder).isEmptyDirectory();
  }
}
