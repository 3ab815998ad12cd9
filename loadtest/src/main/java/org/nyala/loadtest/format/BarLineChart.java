package org.nyala.loadtest.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Groups of bars with a line over each kind of bar: one figure on the left axis, another one on the
 * right axis. The experiment of 2005 showed in this way searches and polls per second by the number
 * of connections. Inline SVG that takes its colours from the page.
 */
public final class BarLineChart implements Chart {
  private static final int WIDTH = 540;
  private static final int HEIGHT = 320;
  private static final int LEFT = 64;
  private static final int RIGHT = 74;
  private static final int TOP = 74;
  private static final int BOTTOM = 40;
  private static final double GROUP_SHARE = 0.72;

  /** The two figures of one kind in one group. Immutable. */
  private record Figures(double bar, double line) {}

  private final String title;
  private final String barTitle;
  private final String lineTitle;
  private final String groupTitle;
  private final List<String> kinds = new ArrayList<>();
  private final Map<Integer, Map<String, Figures>> groups = new TreeMap<>();

  public BarLineChart(String title, String barTitle, String lineTitle, String groupTitle) {
    this.title = title;
    this.barTitle = barTitle;
    this.lineTitle = lineTitle;
    this.groupTitle = groupTitle;
  }

  /** Adds a bar and the place of its line above it. */
  public void add(int group, String kind, double bar, double line) {
    if (!kinds.contains(kind)) {
      kinds.add(kind);
    }
    groups.computeIfAbsent(group, _ -> new TreeMap<>()).put(kind, new Figures(bar, line));
  }

  @Override
  public String svg() {
    if (groups.isEmpty()) {
      return "";
    }
    Scale bars = Scale.linear(Scale::count).over(0, greatest(true));
    Scale lines = Scale.linear(Scale::count).over(0, greatest(false));
    StringBuilder out = new StringBuilder(8192);
    out.append(SvgText.open(WIDTH, HEIGHT, title)).append(SvgText.at("title", 0, 14, title));
    appendLegend(out);
    appendSides(out, bars, lines);
    for (int kind = 0; kind < kinds.size(); kind++) {
      appendBars(out, kind, bars);
    }
    for (int kind = 0; kind < kinds.size(); kind++) {
      appendLine(out, kind, lines);
    }
    return out.append("</svg>\n").toString();
  }

  private double greatest(boolean isBar) {
    return groups.values().stream()
        .flatMap(group -> group.values().stream())
        .mapToDouble(figures -> isBar ? figures.bar() : figures.line())
        .filter(Double::isFinite)
        .max()
        .orElse(1);
  }

  private void appendLegend(StringBuilder out) {
    int left = 0;
    for (int kind = 0; kind < kinds.size(); kind++) {
      String name = kinds.get(kind);
      out.append(
          "<rect class=\"fill pale s%d\" x=\"%d\" y=\"25\" width=\"12\" height=\"10\" rx=\"2\"/>"
              .formatted(style(kind), left));
      out.append(SvgText.at("legend", left + 17, 34, name)).append('\n');
      left += 17 + SvgText.width(name) + 16;
    }
    out.append(SvgText.at("soft", 0, 58, "bars: " + barTitle));
    String right = "lines: " + lineTitle;
    out.append(SvgText.at("soft", WIDTH - SvgText.width(right), 58, right));
  }

  private static int style(int kind) {
    return kind % LineChart.STYLES;
  }

  private void appendSides(StringBuilder out, Scale bars, Scale lines) {
    int bottom = HEIGHT - BOTTOM;
    for (Scale.Tick tick : bars.ticks()) {
      int at = (int) Math.round(down(tick.place()));
      out.append(SvgText.line("grid", LEFT, at, WIDTH - RIGHT, at));
      out.append(SvgText.at("label", LEFT - 6, at + 4, tick.label()));
    }
    for (Scale.Tick tick : lines.ticks()) {
      int at = (int) Math.round(down(tick.place()));
      out.append(SvgText.line("axis", WIDTH - RIGHT, at, WIDTH - RIGHT + 4, at));
      out.append(SvgText.at("value", WIDTH - RIGHT + 8, at + 4, tick.label()));
    }
    int group = 0;
    for (int number : groups.keySet()) {
      int middle = (int) Math.round(middle(group++));
      out.append(SvgText.at("middle", middle, bottom + 17, Scale.count(number)));
    }
    out.append(SvgText.line("axis", LEFT, bottom, WIDTH - RIGHT, bottom));
    out.append(SvgText.at("middle soft", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, groupTitle));
  }

  private void appendBars(StringBuilder out, int kind, Scale bars) {
    double width = groupWidth() * GROUP_SHARE / kinds.size();
    int group = 0;
    for (var entry : groups.entrySet()) {
      double middle = middle(group++);
      Figures figures = entry.getValue().get(kinds.get(kind));
      if (figures == null || !Double.isFinite(figures.bar())) {
        continue;
      }
      double top = down(bars.place(figures.bar()));
      out.append(
          String.format(
              Locale.ROOT,
              "<rect class=\"fill pale s%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s</title></rect>%n",
              style(kind),
              middle - groupWidth() * GROUP_SHARE / 2 + kind * width,
              top,
              Math.max(1, width - 2),
              HEIGHT - BOTTOM - top,
              HtmlPage.escaped(described(kind, entry.getKey(), figures))));
    }
  }

  private void appendLine(StringBuilder out, int kind, Scale lines) {
    StringBuilder points = new StringBuilder(256);
    StringBuilder marks = new StringBuilder(1024);
    int group = 0;
    for (var entry : groups.entrySet()) {
      double across = middle(group++);
      Figures figures = entry.getValue().get(kinds.get(kind));
      if (figures == null || !Double.isFinite(figures.line())) {
        continue;
      }
      double down = down(lines.place(figures.line()));
      points.append(String.format(Locale.ROOT, "%.1f,%.1f ", across, down));
      marks.append(
          String.format(
              Locale.ROOT,
              "<circle class=\"ring s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s</title></circle>%n",
              style(kind),
              across,
              down,
              HtmlPage.escaped(described(kind, entry.getKey(), figures))));
    }
    out.append("<polyline class=\"halo\" points=\"%s\"/>".formatted(points));
    out.append(
        "<polyline class=\"over s%d\" points=\"%s\"/>%n%s".formatted(style(kind), points, marks));
  }

  private String described(int kind, int group, Figures figures) {
    return "%s, %s %s: %s %s, %s %s"
        .formatted(
            kinds.get(kind),
            Scale.count(group),
            groupTitle,
            Scale.count(Math.rint(figures.bar())),
            barTitle,
            Scale.count(Math.rint(figures.line())),
            lineTitle);
  }

  private double groupWidth() {
    return (double) (WIDTH - RIGHT - LEFT) / groups.size();
  }

  private double middle(int group) {
    return LEFT + (group + 0.5) * groupWidth();
  }

  private static double down(double place) {
    return HEIGHT - BOTTOM - place * (HEIGHT - BOTTOM - TOP);
  }
}
