package org.nyala.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folders of the modules, as the build lists them. */
final class Modules {
  private static final Path BUILD = Path.of("..", "pom.xml");
  private static final Pattern MODULE = Pattern.compile("<module>([a-z-]+)</module>");
  private static final String LOAD_TESTER = "loadtest";

  /** All of them. */
  static final List<Path> ALL = names().map(name -> BUILD.resolveSibling(name)).toList();

  /** Those of the server. */
  static final List<Path> SERVER =
      ALL.stream().filter(each -> !each.endsWith(LOAD_TESTER)).toList();

  private Modules() {}

  private static Stream<String> names() {
    try {
      String build = Files.readString(BUILD);
      return MODULE.matcher(build).results().map(found -> found.group(1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
