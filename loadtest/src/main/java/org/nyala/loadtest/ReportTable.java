package org.nyala.loadtest;

import java.util.ArrayList;
import java.util.List;

/** A table of texts; columns but the first hold figures. Confined to one thread. */
final class ReportTable {
  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  ReportTable(String... header) {
    this.header = List.of(header);
  }

  /** Adds a row with a text for each column. */
  void row(String... texts) {
    rows.add(List.of(texts));
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  /** As Markdown. */
  String markdown() {
    StringBuilder out = new StringBuilder(1024);
    out.append("| ").append(String.join(" | ", header)).append(" |\n|---");
    out.append("|--:".repeat(header.size() - 1)).append("|\n");
    for (List<String> row : rows) {
      out.append("| ").append(String.join(" | ", row)).append(" |\n");
    }
    return out.append('\n').toString();
  }

  /** As HTML. */
  String html() {
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
