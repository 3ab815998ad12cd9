package org.nyala.loadtest.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * A page of published results in Markdown: tables that the program writes, and text that people
 * write about them. The part between two marked lines is replaced by each measurement; the rest
 * stays as it is. Immutable.
 *
 * @param file the page, {@code .md}
 * @param before the text before the tables, up to the end of the first marked line
 * @param after the text after them, from the second marked line on
 */
record ResultsPage(Path file, String before, String after) {
  static final String BEGIN = "<!-- measured -->";
  static final String END = "<!-- /measured -->";

  private static final String SUFFIX = ".md";

  /**
   * Reads the existing page, or begins a new one if there is none.
   *
   * @throws LoadTestException if it is no Markdown page, has no folder, or not one pair of marks,
   *     each a line of its own; checked here, so that it fails before the measurement and not after
   *     it
   */
  static ResultsPage open(Path file) throws IOException, LoadTestException {
    Path folder = file.toAbsolutePath().getParent();
    if (!file.toString().endsWith(SUFFIX) || folder == null || !Files.isDirectory(folder)) {
      throw new LoadTestException(file + " must be a file *.md in a folder that is there");
    }
    if (!Files.exists(file)) {
      return new ResultsPage(file, ComparisonReport.TITLE + BEGIN + "\n", END + "\n");
    }
    String page = "\n" + Files.readString(file);
    int begin = page.indexOf("\n" + BEGIN + "\n");
    int end = page.indexOf("\n" + END + "\n", Math.max(begin, 0));
    if (begin < 0 || end < 0 || page.lastIndexOf(BEGIN) != begin + 1) {
      throw new LoadTestException(
          file + " must have one line " + BEGIN + " and behind it one line " + END);
    }
    return new ResultsPage(
        file, page.substring(1, begin + BEGIN.length() + 2), page.substring(end + 1));
  }

  /** Puts the tables in, and the JSON behind them into a file of the same name beside it. */
  void write(String tables, String json) throws IOException {
    Files.writeString(file, before + "\n" + tables.strip() + "\n\n" + after);
    String name = file.getFileName().toString();
    Files.writeString(
        file.resolveSibling(name.substring(0, name.length() - SUFFIX.length()) + ".json"),
        json + "\n");
  }
}
