package org.nyala.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads the files of the live page for what they must not have. */
class PageFilesTest {
  private static final Path FOLDER =
      Path.of("..", "management", "src", "main", "resources", "org", "nyala", "management", "page");

  private static List<Path> files(String suffix) throws IOException {
    try (var files = Files.list(FOLDER)) {
      return files.filter(each -> each.toString().endsWith(suffix)).toList();
    }
  }

  @Test
  void shouldMakeNoMarkupOfTexts() throws Exception {
    assertThat(files(".js"))
        .hasSizeGreaterThan(5)
        .allSatisfy(
            each ->
                assertThat(Files.readString(each))
                    .doesNotContainPattern(
                        "innerHTML|outerHTML|insertAdjacent|document\\.write|\\beval\\b|Function\\("
                            + "|setHTML|createContextualFragment|DOMParser|srcdoc|cssText"
                            + "|set(Timeout|Interval)\\(\\s*[\"'`]|javascript:"));
  }

  @Test
  void shouldAskNobodyElse() throws Exception {
    for (String suffix : List.of(".js", ".css", ".html")) {
      assertThat(files(suffix))
          .isNotEmpty()
          .allSatisfy(
              each ->
                  assertThat(
                          Files.readString(each).replace("xmlns='http://www.w3.org/2000/svg'", ""))
                      .doesNotContainPattern("https?:|[\"'(]//\\w|@import|url\\(|wss?:"));
    }
  }

  @Test
  void shouldKeepNoSecret() throws Exception {
    assertThat(files(".js"))
        .allSatisfy(
            each ->
                assertThat(Files.readString(each))
                    .doesNotContainPattern("sessionStorage|indexedDB|document\\.cookie|caches\\.")
                    .doesNotContainPattern("setItem\\((?!COLOURS_KEY)"));
  }

  /** The policy allows neither scripts nor styles in the page itself. */
  @Test
  void shouldHaveScriptsAndStylesInFiles() throws Exception {
    assertThat(Files.readString(FOLDER.resolve("index.html")))
        .doesNotContainPattern("(?i)<style|\\sstyle=|\\son\\w+=|<script(?![^>]*\\ssrc=)");
  }
}
