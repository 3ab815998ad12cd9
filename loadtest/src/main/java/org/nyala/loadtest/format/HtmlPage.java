package org.nyala.loadtest.format;

/** A self-contained page, light or dark as the reader prefers. Confined to one thread. */
public final class HtmlPage {
  private static final String STYLE =
      """
      :root { color-scheme: light dark; --text: #1c2024; --soft: #5c6670; --line: #d5dae0; --bar: #2f6fb3; --page: #fff;
        --s0: #2f6fb3; --s1: #c2571a; --s2: #1f8a55; --s3: #8247b8; --s4: #b02a52; --s5: #6b6b1f; }
      @media (prefers-color-scheme: dark) {
        :root { --text: #e4e8ec; --soft: #9aa5b1; --line: #3a424c; --bar: #6ea8e6; --page: #15191e;
          --s0: #6ea8e6; --s1: #f0965a; --s2: #62c492; --s3: #c39af0; --s4: #f0819c; --s5: #c9c86a; }
      }
      body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
      h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
      h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
      p { max-width: 48rem; color: var(--soft); }
      .scroll { overflow-x: auto; }
      table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0; }
      th, td { padding: .15rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
      th:first-child, td:first-child { text-align: left; }
      th { color: var(--soft); font-weight: 600; }
      .facts td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
      .facts td:first-child { white-space: nowrap; color: var(--soft); vertical-align: top; }
      .facts thead { display: none; }
      .charts { display: flex; flex-wrap: wrap; gap: 1rem 2rem; }
      .charts svg { max-width: 100%; height: auto; }
      svg text { fill: var(--text); font-size: 12px; }
      svg .title { fill: var(--soft); font-weight: 600; }
      svg .label { text-anchor: end; }
      svg .bar { fill: var(--bar); }
      svg .axis { stroke: var(--soft); }
      svg .grid { stroke: var(--line); }
      svg .middle { text-anchor: middle; }
      svg .soft { fill: var(--soft); }
      svg .s0 { --own: var(--s0); } svg .s1 { --own: var(--s1); } svg .s2 { --own: var(--s2); }
      svg .s3 { --own: var(--s3); } svg .s4 { --own: var(--s4); } svg .s5 { --own: var(--s5); }
      svg .line { stroke: var(--own); fill: none; stroke-width: 1.8; stroke-linejoin: round; }
      svg .line.s1 { stroke-dasharray: 6 3; }
      svg .line.s2 { stroke-dasharray: 2 2; }
      svg .bound { stroke: var(--s4); stroke-dasharray: 4 4; }
      svg .mark { fill: var(--own); }
      svg .fill { fill: var(--own); }
      svg .pale { fill-opacity: .5; }
      svg .over { stroke: var(--own); fill: none; stroke-width: 2; }
      svg .halo { stroke: var(--page); fill: none; stroke-width: 5; }
      svg .ring { fill: var(--page); stroke: var(--own); stroke-width: 2; }
      """;

  private final StringBuilder body = new StringBuilder(64 * 1024);
  private final String title;

  public HtmlPage(String title) {
    this.title = title;
    element("h1", title);
  }

  /** Adds an element that holds a text. */
  public void element(String name, String text) {
    body.append('<').append(name).append('>').append(escaped(text));
    body.append("</").append(name).append(">\n");
  }

  /** Adds a table. */
  public void table(ReportTable table) {
    body.append(table.html());
  }

  /** Adds a table of two columns of texts. */
  public void facts(ReportTable table) {
    body.append("<div class=\"facts\">\n").append(table.html()).append("</div>\n");
  }

  /** Adds charts, side by side if there is room. */
  public void charts(Chart... charts) {
    body.append("<div class=\"charts\">\n");
    for (Chart chart : charts) {
      body.append(chart.svg());
    }
    body.append("</div>\n");
  }

  /** The picture as a file of its own, with the colours of this page. */
  public static String svgFile(Chart chart) {
    return chart
        .svg()
        .replaceFirst(
            "<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"sans-serif\" ")
        .replaceFirst(">", "><style>" + STYLE + "svg { background: var(--page); }</style>");
  }

  /** Escapes a text for HTML. */
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
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
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
