package org.nyala.loadtest.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Horizontal bars from zero, as inline SVG that takes its colours from the page. */
public final class BarChart implements Chart {
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

  /** Creates a chart; the title contains the unit. */
  public BarChart(String title) {
    this.title = title;
  }

  /** Adds a bar with the text of its value; left out if the value is not a number. */
  public void bar(String label, double value, String text) {
    if (Double.isFinite(value)) {
      bars.add(new Bar(label, value, text));
    }
  }

  @Override
  public String svg() {
    if (bars.isEmpty()) {
      return "";
    }
    int texts = bars.stream().mapToInt(bar -> SvgText.width(bar.text())).max().orElse(0);
    int width = LABEL_WIDTH + BARS_WIDTH + Math.max(VALUE_WIDTH, texts + 2 * GAP);
    int height = TOP + bars.size() * ROW_HEIGHT + GAP;
    StringBuilder out = new StringBuilder(2048);
    out.append(SvgText.open(width, height, title));
    out.append(SvgText.at("title", 0, TOP - ROW_HEIGHT / 2, title));
    double longest = bars.stream().mapToDouble(Bar::value).max().orElse(1);
    for (int i = 0; i < bars.size(); i++) {
      append(out, bars.get(i), TOP + i * ROW_HEIGHT, longest);
    }
    out.append(SvgText.line("axis", LABEL_WIDTH, TOP - 2, LABEL_WIDTH, height - GAP));
    return out.append("</svg>\n").toString();
  }

  private static void append(StringBuilder out, Bar bar, int top, double longest) {
    double length = longest > 0 ? bar.value() / longest * BARS_WIDTH : 0;
    int baseline = top + BAR_HEIGHT - 2;
    out.append(
        String.format(
            Locale.ROOT, "<g><title>%s: %s</title>", HtmlPage.escaped(bar.label()), bar.text()));
    out.append(SvgText.at("label", LABEL_WIDTH - GAP, baseline, bar.label()));
    out.append(
        String.format(
            Locale.ROOT,
            "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>",
            LABEL_WIDTH,
            top,
            Math.max(1, length),
            BAR_HEIGHT));
    out.append(SvgText.at("value", LABEL_WIDTH + (int) length + GAP, baseline, bar.text()));
    out.append("</g>\n");
  }
}
