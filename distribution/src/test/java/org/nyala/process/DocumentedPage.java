package org.nyala.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The blocks of a page of the documentation, in AsciiDoc or Markdown. Stateless.
 *
 * <p>A block is in lines of {@code ----} or backquotes. The lines directly above it say what it is:
 *
 * <ul>
 *   <li>{@code [.output]}: what the block before it prints, with … for the rest of a line;
 *   <li>{@code [.rules]}, {@code [source,ldif]}, {@code [source,hocon]}, {@code [source,slapd]}:
 *       access rules, LDIF, lines of {@code nyala.conf} and of {@code slapd.conf};
 *   <li>nothing of these: commands of the shell. If the first one begins with {@code $}, so do all,
 *       and the other lines are what they print;
 *   <li>the comment {@code not run: REASON}: nothing that a test can type;
 *   <li>the comment {@code exit code N: REASON}: one of the commands ends so;
 *   <li>the comment {@code any figures}: digits stand for any others.
 * </ul>
 */
public final class DocumentedPage {
  /** The README. */
  public static final Path README = Path.of("../README.md");

  private static final Path FOLDER = Path.of("../src-docs");
  private static final Pattern FENCE = Pattern.compile("(----|```)(\\w*)");
  private static final Pattern COMMENT = Pattern.compile("(?://|<!--) *(.*?)(?: *-->)?");
  private static final Pattern NOT_RUN = Pattern.compile("not run: (.+)");
  private static final Pattern EXIT_CODE = Pattern.compile("exit code (\\d+): .+");
  private static final String ANY_FIGURES = "any figures";

  /** The line by which a block belongs to an item of a list; comments come before it. */
  private static final String CONTINUATION = "+";

  /** The languages of blocks. */
  public enum Kind {
    SHELL(""),
    OUTPUT("[.output]"),
    RULES("[.rules]"),
    LDIF("[source,ldif]"),
    CONFIGURATION("[source,hocon]"),
    SLAPD("[source,slapd]");

    private final String mark;

    Kind(String mark) {
      this.mark = mark;
    }
  }

  /**
   * A block.
   *
   * @param line the number of its first line in the page, from 1
   * @param reason the reason why no test types it, empty if one does
   * @param exitCode the exit code of one of its commands
   * @param hasAnyFigures whether its digits are examples
   */
  public record Block(
      int line, Kind kind, List<String> text, String reason, int exitCode, boolean hasAnyFigures) {
    public Block {
      text = List.copyOf(text);
    }

    /** Returns whether a test is to type it or to read it. */
    public boolean isRun() {
      return reason.isEmpty();
    }

    /** Returns the block with other words in its text. */
    public Block with(Map<String, String> replacements) {
      List<String> replaced = text;
      for (Map.Entry<String, String> each : replacements.entrySet()) {
        replaced =
            replaced.stream().map(line -> line.replace(each.getKey(), each.getValue())).toList();
      }
      return of(replaced);
    }

    /** Returns the block with another text. */
    public Block of(List<String> text) {
      return new Block(line, kind, text, reason, exitCode, hasAnyFigures);
    }

    /** Returns the text as that of a file. */
    public String file() {
      return String.join("\n", text) + '\n';
    }
  }

  private DocumentedPage() {}

  /** Returns the pages: the README, those of the manual by name, and those of extensions. */
  public static List<Path> all() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(README));
    pages.addAll(pages(FOLDER));
    try (Stream<Path> extensions = Files.list(Path.of("../extensions"))) {
      for (Path each : extensions.map(folder -> folder.resolve("src/docs")).sorted().toList()) {
        if (Files.isDirectory(each)) {
          pages.addAll(pages(each));
        }
      }
    }
    return pages;
  }

  private static List<Path> pages(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".adoc")).sorted().toList();
    }
  }

  /** Returns the blocks of a page of the manual. */
  public static List<Block> blocks(String name) throws IOException {
    return blocks(FOLDER.resolve(name));
  }

  /** Returns the blocks of a page. */
  public static List<Block> blocks(Path page) throws IOException {
    List<Block> blocks = new ArrayList<>();
    List<String> lines = Files.readAllLines(page, UTF_8);
    for (int i = 0; i < lines.size(); i++) {
      Matcher fence = FENCE.matcher(lines.get(i));
      if (fence.matches()) {
        int end = i + 1;
        while (!lines.get(end).equals(fence.group(1))) {
          end++;
        }
        blocks.add(block(lines, i, end, fence.group(2)));
        i = end;
      }
    }
    return blocks;
  }

  private static Block block(List<String> lines, int fence, int end, String language) {
    Kind kind = kind("[source," + language + ']');
    String reason = "";
    int exitCode = 0;
    boolean hasAnyFigures = false;
    for (int above = fence - 1; above >= 0; above--) {
      String line = lines.get(above);
      Matcher comment = COMMENT.matcher(line);
      if (comment.matches()) {
        Matcher notRun = NOT_RUN.matcher(comment.group(1));
        Matcher code = EXIT_CODE.matcher(comment.group(1));
        reason = notRun.matches() ? notRun.group(1) : reason;
        exitCode = code.matches() ? Integer.parseInt(code.group(1)) : exitCode;
        hasAnyFigures |= comment.group(1).equals(ANY_FIGURES);
      } else if (line.startsWith("[")) {
        kind = kind == Kind.SHELL ? kind(line) : kind;
      } else if (!line.equals(CONTINUATION)) {
        break;
      }
    }
    return new Block(
        fence + 2, kind, lines.subList(fence + 1, end), reason, exitCode, hasAnyFigures);
  }

  private static Kind kind(String mark) {
    for (Kind each : Kind.values()) {
      if (each.mark.equals(mark)) {
        return each;
      }
    }
    return Kind.SHELL;
  }
}
