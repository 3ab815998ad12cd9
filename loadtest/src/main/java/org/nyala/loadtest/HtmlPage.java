package org.nyala.loadtest;

/**
 * A page that needs nothing but itself, light or dark as its reader likes. Confined to one thread.
 */
final class HtmlPage {
  private static final String STYLE =
      """
      :root { color-scheme: light dark; --text: #1c2024; --soft: #5c6670; --line: #d5dae0; --bar: #2f6fb3; --page: #fff; }
      @media (prefers-color-scheme: dark) {
        :root { --text: #e4e8ec; --soft: #9aa5b1; --line: #3a424c; --bar: #6ea8e6; --page: #15191e; }
      }
      body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
      h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
      h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
      p { max-width: 48rem; color: var(--soft); }
      .scroll { overflow-x: auto; }
      table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0; }
      th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid var(--line); }
      th:first-child, td:first-child { text-align: left; }
      th { color: var(--soft); font-weight: 600; }
      .charts { display: flex; flex-wrap: wrap; gap: 1rem 2rem; }
      .charts svg { max-width: 100%; height: auto; }
      svg text { fill: var(--text); font-size: 12px; }
      svg .title { fill: var(--soft); font-weight: 600; }
      svg .label { text-anchor: end; }
      svg .bar { fill: var(--bar); }
      svg .axis { stroke: var(--line); }
      """;

  private final StringBuilder body = new StringBuilder(64 * 1024);
  private final String title;

  HtmlPage(String title) {
    this.title = title;
    element("h1", title);
  }

  /** Adds an element that holds a text. */
  void element(String name, String text) {
    body.append('<').append(name).append('>').append(escaped(text));
    body.append("</").append(name).append(">\n");
  }

  /** Adds a table. */
  void table(ReportTable table) {
    body.append(table.html());
  }

  /** Adds charts beside each other, where there is room. */
  void charts(BarChart... charts) {
    body.append("<div class=\"charts\">\n");
    for (BarChart chart : charts) {
      body.append(chart.svg());
    }
    body.append("</div>\n");
  }

  /** A text as it is written in HTML. */
  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** The page. */
  @Override
  public String toString() {
    return """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>%s</title>
        <style>
        %s</style>
        </head>
        <body>
        %s</body>
        </html>
        """
        .formatted(escaped(title), STYLE, body);
  }
}
