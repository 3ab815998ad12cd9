package org.nyala.server;

import java.util.ArrayList;
import java.util.List;

/**
 * A table of text for a terminal: the first column is left-aligned, the others right-aligned.
 *
 * <p>Confined to one thread.
 */
public final class TextTable {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  /** Creates a table without rows. */
  public TextTable(String... headings) {
    rows.add(List.of(headings));
  }

  /** Appends a row of as many cells as there are headings. */
  public void add(String... cells) {
    if (cells.length != rows.getFirst().size()) {
      throw new IllegalArgumentException(cells.length + " cells");
    }
    rows.add(List.of(cells));
  }

  /** Returns the lines, indented, with the headings first; a single line if there are no rows. */
  public List<String> lines() {
    if (rows.size() == 1) {
      return List.of(GAP + "none");
    }
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = cells.get(i);
      String padding = " ".repeat(widths[i] - cell.length());
      line.append(GAP).append(i == 0 ? cell + padding : padding + cell);
    }
    return line.toString();
  }
}
