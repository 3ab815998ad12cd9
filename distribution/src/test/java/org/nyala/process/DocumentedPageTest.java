package org.nyala.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.process.DocumentedPage.Block;
import org.nyala.process.DocumentedPage.Kind;

/** The blocks of all pages: a test types them, or the page says why none does. */
class DocumentedPageTest {
  private static final List<Path> TESTS =
      List.of(Path.of("src/test/java"), Path.of("../extensions/access/src/test/java"));

  /** Pages that {@code QuickStartIT} types. */
  private static final Set<String> QUICK_START = Set.of("README.md", "quick-start.adoc");

  private static final Pattern TEST = Pattern.compile("\\b[A-Z]\\w+(?:Test|IT)\\b");

  @TempDir Path folder;

  static List<Path> pages() throws IOException {
    return DocumentedPage.all();
  }

  /** Returns the name of the test of a page: {@code AccessRulesPageIT} of access-rules.adoc. */
  private static String test(String page) {
    return Arrays.stream(page.replace(".adoc", "").split("-", -1))
        .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
        .collect(Collectors.joining("", "", "PageIT"));
  }

  private static boolean exists(String test) throws IOException {
    for (Path folder : TESTS) {
      try (Stream<Path> files = Files.walk(folder)) {
        if (files.anyMatch(file -> file.endsWith(test + ".java"))) {
          return true;
        }
      }
    }
    return false;
  }

  @ParameterizedTest
  @MethodSource("pages")
  void shouldHaveATestOrReasons(Path page) throws IOException {
    String name = page.getFileName().toString();
    List<Block> blocks = DocumentedPage.blocks(page);
    List<Integer> open = blocks.stream().filter(Block::isRun).map(Block::line).toList();
    if (!open.isEmpty() && !QUICK_START.contains(name)) {
      assertThat(exists(test(name))).as("%s: blocks at %s", test(name), open).isTrue();
    }
    for (Block block : blocks) {
      Matcher named = TEST.matcher(block.reason());
      while (named.find()) {
        assertThat(exists(named.group())).as("%s: %s", name, block.reason()).isTrue();
      }
    }
  }

  @Test
  void shouldReadMarks() throws IOException {
    Path page =
        Files.writeString(
            folder.resolve("page.adoc"),
            """
            // not run: a drawing
            ----
            o->o
            ----

            // exit code 5: as it says
            +
            ----
            false
            ----
            [.output]
            // any figures
            ----
            12 s
            ----
            ```hocon
            nyala {}
            ```
            """);
    assertThat(DocumentedPage.blocks(page))
        .containsExactly(
            new Block(3, Kind.SHELL, List.of("o->o"), "a drawing", 0, false),
            new Block(9, Kind.SHELL, List.of("false"), "", 5, false),
            new Block(14, Kind.OUTPUT, List.of("12 s"), "", 0, true),
            new Block(17, Kind.CONFIGURATION, List.of("nyala {}"), "", 0, false));
  }
}
