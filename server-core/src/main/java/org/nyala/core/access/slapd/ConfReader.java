package org.nyala.core.access.slapd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.nyala.core.access.rule.Source;

/**
 * Reads slapd.conf and the files that it includes. What is not about access is skipped.
 *
 * <p>Confined to one thread.
 */
final class ConfReader {
  private static final int MAXIMUM_DEPTH = 16;
  private static final int MAXIMUM_FILES = 1_000;
  private static final char UNREADABLE = '\ufffd';

  private final SlapdConfiguration configuration;
  private final List<String> comments = new ArrayList<>();
  private SlapdDatabase current;
  private int files;

  ConfReader(SlapdConfiguration configuration) {
    this.configuration = configuration;
    this.current = configuration.global();
  }

  /**
   * Reads a file.
   *
   * @throws InvalidSlapdFileException if there is too much of something, or a directive is not
   *     UTF-8
   */
  void read(Path file) throws IOException, InvalidSlapdFileException {
    read(file, new Source(SlapdConfiguration.nameOf(file), 1, 1), 0);
  }

  private void read(Path file, Source from, int depth)
      throws IOException, InvalidSlapdFileException {
    if (depth > MAXIMUM_DEPTH || ++files > MAXIMUM_FILES) {
      throw new InvalidSlapdFileException(from, "too many files that include each other");
    }
    String text = SlapdFiles.text(file, from);
    String name = SlapdConfiguration.nameOf(file);
    for (LogicalLine line : LogicalLine.of(text)) {
      if (line.isComment()) {
        comments.addAll(line.lines());
      } else if (!line.isBlank()) {
        directive(file, new Source(name, line.number(), 1), line, depth);
        comments.clear();
      }
    }
  }

  private void directive(Path file, Source source, LogicalLine line, int depth)
      throws IOException, InvalidSlapdFileException {
    List<String> words = SlapdWords.of(line.text());
    List<String> after = words.subList(1, words.size());
    switch (words.getFirst().toLowerCase(Locale.ROOT)) {
      case "access" -> configuration.add(current.access(), directive(source, line, after));
      case "limits" -> configuration.add(current.limits(), directive(source, line, after));
      case "database" -> current = configuration.begin(first(source, line, after), source);
      case "suffix" -> {
        first(source, line, after);
        after.forEach(current::addSuffix);
      }
      case "include" -> include(file, first(source, line, after), source, depth);
      default -> {
        // Not about access.
      }
    }
  }

  private SlapdDirective directive(Source source, LogicalLine line, List<String> words)
      throws InvalidSlapdFileException {
    requireReadable(source, line);
    return new SlapdDirective(source, comments, line.lines(), words);
  }

  private static void requireReadable(Source source, LogicalLine line)
      throws InvalidSlapdFileException {
    if (line.text().indexOf(UNREADABLE) >= 0) {
      throw new InvalidSlapdFileException(source, "a directive that is not UTF-8");
    }
  }

  private static String first(Source source, LogicalLine line, List<String> words)
      throws InvalidSlapdFileException {
    requireReadable(source, line);
    if (words.isEmpty()) {
      throw new InvalidSlapdFileException(source, "'" + line.text() + "' without a value");
    }
    return words.getFirst();
  }

  /* Without its schema files, a configuration can be read on another machine. */
  private void include(Path file, String named, Source source, int depth)
      throws IOException, InvalidSlapdFileException {
    Path included = SlapdFiles.resolve(file, named, source);
    if (Files.exists(included) || !named.endsWith(".schema")) {
      comments.clear();
      read(included, source, depth + 1);
    }
  }
}
