package org.nyala.core.slapd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Source;

/**
 * Reads slapd.conf and the files that it includes.
 *
 * <p>Confined to one thread.
 */
final class ConfReader {
  private static final int MAXIMUM_DEPTH = 16;
  private static final int MAXIMUM_FILES = 1_000;

  /** The number of lines of comments beyond which a directive has only the last ones. */
  private static final int MAXIMUM_COMMENTS = 10_000;

  /**
   * A comment that may have a password, such as a directive that was taken out: comments are shown
   * beside what follows them, to people who may not read slapd.conf.
   */
  private static final Pattern SECRET =
      Pattern.compile(
          "(?i)rootpw|bindpw|credentials|\\{[a-z][a-z0-9-]*}\\S"
              + "|(passw(or[dt]|d)|passphrase|secret|(?<![a-z])(pw|pwd|pass))\\s*([:=]|(is|ist)\\b)");

  private static final char UNREADABLE = '\ufffd';

  private final SlapdConfiguration configuration;
  private final List<String> comments = new ArrayList<>();
  private SlapdDatabase current;
  private final Path top;
  private @Nullable SlapdSection overlay;
  private int files;

  /**
   * Prepares for a configuration.
   *
   * @param top its file
   */
  ConfReader(SlapdConfiguration configuration, Path top) {
    this.configuration = configuration;
    this.top = top;
    this.current = configuration.global();
  }

  /**
   * Reads the file.
   *
   * @throws InvalidSlapdFileException if there is too much of something, or a directive is not
   *     UTF-8
   */
  void read() throws IOException, InvalidSlapdFileException {
    read(top, new Source(SlapdConfiguration.nameOf(top), 1, 1), 0);
  }

  private void read(Path file, Source from, int depth)
      throws IOException, InvalidSlapdFileException {
    if (depth > MAXIMUM_DEPTH || ++files > MAXIMUM_FILES) {
      throw new InvalidSlapdFileException(from, "too many files that include each other");
    }
    String text = SlapdFiles.text(file, from);
    configuration.take(text.length(), from);
    String name = SlapdConfiguration.nameOf(file);
    for (LogicalLine line : LogicalLine.of(text)) {
      if (line.isComment()) {
        comment(line);
      } else if (!line.isBlank()) {
        directive(file, new Source(name, line.number(), 1), line, depth);
        comments.clear();
      }
    }
  }

  private void comment(LogicalLine line) {
    if (comments.size() > MAXIMUM_COMMENTS) {
      comments.clear();
    }
    if (!SECRET.matcher(line.text()).find()) {
      comments.addAll(line.lines());
    }
  }

  private void directive(Path file, Source source, LogicalLine line, int depth)
      throws IOException, InvalidSlapdFileException {
    List<String> words = SlapdWords.of(line.text());
    String name = words.isEmpty() ? "" : DirectiveNames.ofDirective(words.getFirst());
    List<String> after = words.isEmpty() ? words : words.subList(1, words.size());
    SlapdDirective directive =
        new SlapdDirective(
            source, comments, line.lines(), name, after, after.isEmpty() ? "" : after.getFirst());
    switch (name) {
      case "" -> {
        // A line of quotes and blanks.
      }
      case "database" -> {
        current = configuration.begin(first(directive, line), source);
        overlay = null;
      }
      case "overlay" ->
          overlay = configuration.beginOverlay(current, first(directive, line), source);
      case "include" -> include(file, directive, line, depth);
      default -> add(file, directive, line);
    }
  }

  private void add(Path file, SlapdDirective directive, LogicalLine line)
      throws InvalidSlapdFileException {
    if (SlapdConfiguration.isDefinition(directive.name())) {
      configuration.define(partOf(file), directive);
      return;
    }
    requireReadable(directive.source(), line);
    if (directive.name().equals("suffix")) {
      first(directive, line);
    }
    SlapdSection section = current;
    if (DirectiveNames.isOfServer(directive.name())) {
      section = configuration.global();
    } else if (overlay != null && DirectiveNames.isOfOverlay(overlay.kind(), directive.name())) {
      section = overlay;
    }
    configuration.add(section, directive);
  }

  /* The name of the file without its end. */
  private static String partOf(Path file) {
    String name = SlapdConfiguration.nameOf(file);
    int dot = name.lastIndexOf('.');
    return dot > 0 ? name.substring(0, dot) : name;
  }

  private static void requireReadable(Source source, LogicalLine line)
      throws InvalidSlapdFileException {
    if (line.text().indexOf(UNREADABLE) >= 0) {
      throw new InvalidSlapdFileException(source, "a directive that is not UTF-8");
    }
  }

  private static String first(SlapdDirective directive, LogicalLine line)
      throws InvalidSlapdFileException {
    requireReadable(directive.source(), line);
    if (directive.words().isEmpty()) {
      throw new InvalidSlapdFileException(
          directive.source(), "'" + line.text() + "' without a value");
    }
    return directive.words().getFirst();
  }

  /* Without its schema files, a configuration can be read on another machine. */
  private void include(Path file, SlapdDirective directive, LogicalLine line, int depth)
      throws IOException, InvalidSlapdFileException {
    String named = first(directive, line);
    Path included = SlapdFiles.resolve(top, file, named, directive.source());
    if (!Path.of(named).isAbsolute() && Files.exists(included)) {
      configuration.find(directive, included);
    }
    if (Files.exists(included) || !named.endsWith(".schema")) {
      comments.clear();
      read(included, directive.source(), depth + 1);
    } else {
      configuration.miss(directive);
    }
  }
}
