package org.nyala.loadtest.format;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The part of a page of results that is read without its script: headings, sentences and tables, in
 * their order. Texts become texts, whatever is in them. Confined to one thread.
 */
public final class PageText {
  private final StringBuilder out = new StringBuilder(4096);
  private final String title;

  /** Begins with the heading of the page. */
  public PageText(String title) {
    this.title = title;
    element("h1", title);
  }

  String title() {
    return title;
  }

  /** Adds the result in one sentence. */
  public PageText verdict(String sentence) {
    out.append("<p class=\"verdict\">").append(escaped(sentence)).append("</p>\n");
    return this;
  }

  /** Adds the heading of a section. */
  public PageText section(String text) {
    return element("h2", text);
  }

  /** Adds the heading of a part of a section. */
  public PageText part(String text) {
    return element("h3", text);
  }

  /** Adds sentences. */
  public PageText paragraph(String text) {
    return element("p", text);
  }

  /** Adds the place that the script fills with charts. */
  public PageText charts() {
    out.append("<div class=\"charts\" id=\"charts\"></div>\n");
    return this;
  }

  /** Adds a table; a narrow page shows the names of columns beside the values. */
  public <T> PageText table(ReportTable<T> table, Collection<T> rows) {
    List<List<String>> lines = table.lines(rows);
    List<String> header = lines.getFirst();
    out.append("<div class=\"scroll\"><table>\n<thead><tr>");
    header.forEach(name -> out.append("<th>").append(escaped(name)).append("</th>"));
    out.append("</tr></thead>\n<tbody>\n");
    for (List<String> line : lines.subList(1, lines.size())) {
      out.append("<tr>");
      for (int column = 0; column < line.size(); column++) {
        out.append("<td data-name=\"").append(escaped(header.get(column))).append("\">");
        out.append(escaped(line.get(column))).append("</td>");
      }
      out.append("</tr>\n");
    }
    out.append("</tbody></table></div>\n");
    return this;
  }

  /** Adds names and values. */
  public PageText facts(Map<String, String> facts) {
    out.append("<div class=\"scroll facts\"><table><tbody>\n");
    facts.forEach(
        (name, value) ->
            out.append("<tr><td>")
                .append(escaped(name))
                .append("</td><td>")
                .append(escaped(value))
                .append("</td></tr>\n"));
    out.append("</tbody></table></div>\n");
    return this;
  }

  private PageText element(String name, String text) {
    out.append('<').append(name).append('>').append(escaped(text));
    out.append("</").append(name).append(">\n");
    return this;
  }

  /** Returns a text as HTML and XML have it: no markup, and no character that XML forbids. */
  static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(
            each -> {
              switch (each) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.appendCodePoint(isAllowed(each) ? each : 0xfffd);
              }
            });
    return escaped.toString();
  }

  private static boolean isAllowed(int character) {
    boolean isControl = character < 0x20 && character != '\n' && character != '\t';
    boolean isSurrogate = character >= 0xd800 && character < 0xe000;
    return !isControl && !isSurrogate && character != 0xfffe && character != 0xffff;
  }

  /** Returns the HTML. */
  String html() {
    return "<main>\n" + out + "</main>";
  }
}
