package org.nyala.loadtest.format;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A table; all columns but the first hold figures. Confined to one thread.
 *
 * @param <T> a row
 */
public final class ReportTable<T> {
  private final List<String> header = new ArrayList<>();
  private final List<Function<? super T, String>> columns = new ArrayList<>();

  /** Adds a column with a text of each row. */
  public ReportTable<T> column(String title, Function<? super T, String> text) {
    header.add(title);
    columns.add(text);
    return this;
  }

  /** A table of names and values, as Markdown. */
  public static String markdown(Map<String, String> facts) {
    return new ReportTable<Map.Entry<String, String>>()
        .column("", Map.Entry::getKey)
        .column("", Map.Entry::getValue)
        .markdown(facts.entrySet());
  }

  /** Returns the texts of the header, then of each row. */
  List<List<String>> lines(Collection<T> rows) {
    List<List<String>> lines = new ArrayList<>(List.of(header));
    rows.forEach(row -> lines.add(columns.stream().map(column -> column.apply(row)).toList()));
    return lines;
  }

  public String markdown(Collection<T> rows) {
    StringBuilder out = new StringBuilder(1024);
    for (List<String> line : lines(rows)) {
      boolean isHeader = out.isEmpty();
      out.append("| ").append(String.join(" | ", line)).append(" |\n");
      if (isHeader) {
        out.append("|---").append("|--:".repeat(header.size() - 1)).append("|\n");
      }
    }
    return out.toString();
  }

  /** The table for a terminal: columns as wide as their longest text. */
  public String text(Collection<T> rows) {
    List<List<String>> lines = lines(rows);
    StringBuilder out = new StringBuilder(1024);
    for (List<String> line : lines) {
      for (int column = 0; column < line.size(); column++) {
        int at = column;
        int width = lines.stream().mapToInt(other -> other.get(at).length()).max().orElse(1);
        String text = line.get(column);
        String blanks = " ".repeat(width - text.length());
        out.append(column == 0 ? text + blanks : "  " + blanks + text);
      }
      out.append(System.lineSeparator());
    }
    return out.toString();
  }
}
