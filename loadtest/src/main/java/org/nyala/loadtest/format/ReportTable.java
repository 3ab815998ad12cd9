package org.nyala.loadtest.format;

import java.util.ArrayList;
import java.util.List;

/** A table of texts; all columns but the first hold figures. Confined to one thread. */
public final class ReportTable {
  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  public ReportTable(String... header) {
    this.header = List.of(header);
  }

  /** Adds a row with a text for each column. */
  public void row(String... texts) {
    rows.add(List.of(texts));
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The table as Markdown. */
  public String markdown() {
    StringBuilder out = new StringBuilder(1024);
    out.append("| ").append(String.join(" | ", header)).append(" |\n|---");
    out.append("|--:".repeat(header.size() - 1)).append("|\n");
    for (List<String> row : rows) {
      out.append("| ").append(String.join(" | ", row)).append(" |\n");
    }
    return out.append('\n').toString();
  }

  /** The table for a terminal: columns as wide as their longest text. */
  public String text() {
    List<List<String>> lines = new ArrayList<>(List.of(header));
    lines.addAll(rows);
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

  /** The table as HTML. */
  public String html() {
    StringBuilder out = new StringBuilder(2048);
    out.append("<div class=\"scroll\"><table>\n<thead>");
    append(out, header, "th");
    out.append("</thead>\n<tbody>\n");
    rows.forEach(row -> append(out, row, "td"));
    return out.append("</tbody>\n</table></div>\n").toString();
  }

  private static void append(StringBuilder out, List<String> texts, String element) {
    out.append("<tr>");
    for (String text : texts) {
      out.append('<').append(element).append('>').append(HtmlPage.escaped(text));
      out.append("</").append(element).append('>');
    }
    out.append("</tr>\n");
  }
}
