package org.nyala.loadtest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Horizontal bars from zero, as inline SVG that takes its colours from the page. */
final class BarChart {
  private static final int LABEL_WIDTH = 175;
  private static final int BARS_WIDTH = 250;
  private static final int VALUE_WIDTH = 85;
  private static final int ROW_HEIGHT = 22;
  private static final int BAR_HEIGHT = 14;
  private static final int TOP = 26;
  private static final int GAP = 6;

  /** One bar. */
  private record Bar(String label, double value, String text) {}

  private final String title;
  private final List<Bar> bars = new ArrayList<>();

  /** Creates a chart; the title says the unit. */
  BarChart(String title) {
    this.title = title;
  }

  /** Adds a bar with the text of its value; left out when the value is no number. */
  void bar(String label, double value, String text) {
    if (Double.isFinite(value)) {
      bars.add(new Bar(label, value, text));
    }
  }

  /** The chart; empty without bars. */
  String svg() {
    if (bars.isEmpty()) {
      return "";
    }
    int width = LABEL_WIDTH + BARS_WIDTH + VALUE_WIDTH;
    int height = TOP + bars.size() * ROW_HEIGHT + GAP;
    StringBuilder out = new StringBuilder(2048);
    out.append(
        String.format(
            Locale.ROOT,
            "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">%n",
            width,
            height,
            width,
            height,
            HtmlPage.escaped(title)));
    out.append(text("title", 0, TOP - ROW_HEIGHT / 2, title));
    double longest = bars.stream().mapToDouble(Bar::value).max().orElse(1);
    for (int i = 0; i < bars.size(); i++) {
      append(out, bars.get(i), TOP + i * ROW_HEIGHT, longest);
    }
    out.append(
        String.format(
            Locale.ROOT,
            "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>%n</svg>%n",
            LABEL_WIDTH,
            TOP - 2,
            LABEL_WIDTH,
            height - GAP));
    return out.toString();
  }

  private static void append(StringBuilder out, Bar bar, int top, double longest) {
    double length = longest > 0 ? bar.value() / longest * BARS_WIDTH : 0;
    int baseline = top + BAR_HEIGHT - 2;
    out.append(
        String.format(
            Locale.ROOT, "<g><title>%s: %s</title>", HtmlPage.escaped(bar.label()), bar.text()));
    out.append(text("label", LABEL_WIDTH - GAP, baseline, bar.label()));
    out.append(
        String.format(
            Locale.ROOT,
            "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>",
            LABEL_WIDTH,
            top,
            Math.max(1, length),
            BAR_HEIGHT));
    out.append(text("value", LABEL_WIDTH + (int) length + GAP, baseline, bar.text()));
    out.append("</g>\n");
  }

  private static String text(String kind, int x, int y, String text) {
    return "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>"
        .formatted(kind, x, y, HtmlPage.escaped(text));
  }
}
