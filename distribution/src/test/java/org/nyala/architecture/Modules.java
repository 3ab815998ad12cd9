package org.nyala.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folders of the modules, as the build lists them. */
final class Modules {
  private static final Path ROOT = Path.of("..");
  private static final Path BUILD = ROOT.resolve("pom.xml");
  private static final Pattern MODULE = Pattern.compile("<module>([a-z/-]+)</module>");
  private static final String LOAD_TESTER = "loadtest";

  /** All of them. */
  static final List<Path> ALL = names().map(ROOT::resolve).toList();

  /** Those of the server. */
  static final List<Path> SERVER =
      ALL.stream().filter(each -> !each.endsWith(LOAD_TESTER)).toList();

  private Modules() {}

  private static Stream<String> names() {
    return MODULE.matcher(text(BUILD)).results().map(found -> found.group(1));
  }

  /** Returns the folder of a module below that of the project. */
  static String name(Path module) {
    return ROOT.relativize(module).toString();
  }

  /**
   * Returns whether a package of a module is its own. The load tester has benchmarks in packages of
   * the server, beside the classes that they measure.
   */
  static boolean isHome(Path module, String packageName) {
    return !module.endsWith(LOAD_TESTER) || packageName.startsWith("org.nyala.loadtest");
  }

  /** Returns the source of a class, which is in one of the modules. */
  static String source(JavaClass type) {
    Path folder = Path.of("src/main/java", type.getPackageName().split("\\."));
    String name = type.getSource().flatMap(Source::getFileName).orElseThrow();
    return ALL.stream()
        .map(module -> module.resolve(folder).resolve(name))
        .filter(Files::exists)
        .map(Modules::text)
        .findFirst()
        .orElseThrow();
  }

  static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
