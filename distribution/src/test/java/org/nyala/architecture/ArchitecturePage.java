package org.nyala.architecture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * {@code ARCHITECTURE.md}, whose tables of packages are made from the modules, and whose others are
 * checked against them.
 */
final class ArchitecturePage {
  private static final Path FILE = Path.of("..", "ARCHITECTURE.md");
  private static final Path RENEWED = Path.of("target", "ARCHITECTURE.md");

  /** The command that puts the right tables into the page. */
  static final String RENEWAL =
      "A table of ARCHITECTURE.md is not what the sources say. Renew it: cp distribution/"
          + RENEWED
          + " ARCHITECTURE.md";

  private static final Pattern DESCRIPTION = Pattern.compile("<description>(.*)</description>");
  private static final Pattern DEPENDENCY = Pattern.compile("(?s)<dependency>(.*?)</dependency>");
  private static final Pattern OURS = Pattern.compile("<artifactId>nyala-([a-z-]+)</artifactId>");

  /** A name in code type that is one of a class, alone or before those of its members. */
  private static final Pattern TYPE = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:\\.\\w+)*`");

  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  private ArchitecturePage() {}

  /** Returns the classes that the page names, by their simple names. */
  static Set<String> types() throws IOException {
    return TYPE.matcher(written())
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the files of the classes with which changes begin, below the folder of the project. */
  static List<String> places() throws IOException {
    List<String> files = new ArrayList<>();
    for (List<String> row : rows("places", 4)) {
      String folder = code(row.get(2)).getFirst().replace('.', '/');
      for (String type : code(row.get(3))) {
        files.add(
            "%s/src/main/java/org/nyala/%s/%s.java"
                .formatted(code(row.get(1)).getFirst(), folder, type));
      }
    }
    return files;
  }

  /** Returns the names of threads, without what follows them, by the classes that make them. */
  static SortedMap<String, Set<String>> threads() throws IOException {
    SortedMap<String, Set<String>> names = new TreeMap<>();
    for (List<String> row : rows("threads", 4)) {
      Set<String> own = names.computeIfAbsent(code(row.get(1)).getFirst(), _ -> new TreeSet<>());
      code(row.getFirst()).forEach(name -> own.add(name.replaceFirst("-?…$", "")));
    }
    return names;
  }

  /** Returns the cells of the rows of a table. */
  private static List<List<String>> rows(String table, int columns) throws IOException {
    String page = written();
    String begin = "<!-- checked: " + table + " -->\n";
    int from = page.indexOf(begin) + begin.length();
    int to = page.indexOf("<!-- end: " + table + " -->", from);
    return page.substring(from, to)
        .lines()
        .skip(2)
        .map(line -> List.of(line.substring(1).split("\\|", -1)).subList(0, columns))
        .toList();
  }

  private static List<String> code(String cell) {
    return CODE.matcher(cell).results().map(found -> found.group(1)).toList();
  }

  /** Returns the page as it is. */
  static String written() throws IOException {
    return Files.readString(FILE);
  }

  /** Returns the page with the tables of now, and leaves it in the folder of built files. */
  static String renewed() throws IOException {
    String page = filled(written(), "packages", packages());
    Files.createDirectories(RENEWED.getParent());
    Files.writeString(RENEWED, page);
    return page;
  }

  /** Returns a page with other text between the marks of a generated part. */
  private static String filled(String page, String part, String text) {
    String begin = "<!-- generated: " + part + " -->\n";
    String end = "<!-- end: " + part + " -->";
    int from = page.indexOf(begin);
    int to = page.indexOf(end);
    if (from < 0 || to < from) {
      throw new IllegalStateException("no marks of the generated part " + part);
    }
    return page.substring(0, from + begin.length()) + text + page.substring(to);
  }

  private static String packages() throws IOException {
    StringBuilder text = new StringBuilder();
    for (Path module : Modules.ALL) {
      String build = Files.readString(module.resolve("pom.xml"));
      text.append("\n### ").append(Modules.name(module)).append("\n\n");
      text.append(description(build)).append(". ").append(uses(build));
      text.append("\n\n| package | public face | purpose |\n|---|---|---|\n");
      for (PackageInfo each : PackageInfo.of(module)) {
        text.append("| %s | %s | %s |\n".formatted(name(each), each.face(), each.purpose()));
      }
    }
    return text.append('\n').toString();
  }

  private static String name(PackageInfo of) {
    return "`" + of.shortName() + (of.isInternal() ? "`, internal" : "`");
  }

  private static String description(String build) {
    Matcher found = DESCRIPTION.matcher(build);
    return found.find() ? found.group(1) : "";
  }

  /** Returns the sentence about the modules that a module uses in production. */
  private static String uses(String build) {
    List<String> used =
        DEPENDENCY
            .matcher(build)
            .results()
            .map(MatchResult::group)
            .filter(each -> !each.contains("<scope>test</scope>"))
            .flatMap(each -> OURS.matcher(each).results())
            .map(found -> "`" + found.group(1) + "`")
            .toList();
    return used.isEmpty() ? "Uses no other module." : "Uses " + String.join(", ", used) + ".";
  }
}
