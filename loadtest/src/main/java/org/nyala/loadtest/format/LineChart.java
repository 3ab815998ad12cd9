package org.nyala.loadtest.format;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A chart of lines over a common axis, as inline SVG that takes its colours from the page. */
public final class LineChart implements Chart {
  /** The number of line styles that a page can distinguish. */
  static final int STYLES = 6;

  private static final int WIDTH = 540;
  private static final int HEIGHT = 250;
  private static final int LEFT = 64;
  private static final int RIGHT = 30;
  private static final int TOP = 48;
  private static final int BOTTOM = 38;
  private static final int MARKED_POINTS = 40;

  /** A place on a line. Immutable. */
  public record Point(double x, double y) {}

  /** One line. Immutable. */
  private record Line(String name, List<Point> points) {}

  /** A level line. Immutable. */
  private record Bound(String name, double y) {}

  private final String title;
  private final String xTitle;
  private final Scale xScale;
  private final Scale yScale;
  private final List<Line> lines = new ArrayList<>();
  private final List<Bound> bounds = new ArrayList<>();

  /** Creates a chart; the titles contain the units. */
  public LineChart(String title, String xTitle, Scale xScale, Scale yScale) {
    this.title = title;
    this.xTitle = xTitle;
    this.xScale = xScale;
    this.yScale = yScale;
  }

  /** Adds a line; points that are not finite are left out, and lines without points. */
  public LineChart line(String name, List<Point> points) {
    List<Point> finite =
        points.stream()
            .filter(point -> Double.isFinite(point.x()) && Double.isFinite(point.y()))
            .toList();
    if (!finite.isEmpty()) {
      lines.add(new Line(name, finite));
    }
    return this;
  }

  /** Adds a level line; a value above it passes a bound. */
  public LineChart across(String name, double y) {
    bounds.add(new Bound(name, y));
    return this;
  }

  @Override
  public String svg() {
    if (lines.isEmpty()) {
      return "";
    }
    List<Point> all = lines.stream().flatMap(line -> line.points().stream()).toList();
    double lastX = all.stream().mapToDouble(Point::x).max().orElse(1);
    double lowY = all.stream().mapToDouble(Point::y).filter(y -> y > 0).min().orElse(1);
    double highY = all.stream().mapToDouble(Point::y).max().orElse(1);
    Scale x = xScale.isEven() ? xScale.upTo(lastX) : xScale.over(lastX, lastX);
    Scale y = yScale.over(lowY, highY);
    StringBuilder out = new StringBuilder(8192);
    out.append(SvgText.open(WIDTH, HEIGHT, title));
    out.append(SvgText.at("title", 0, 14, title));
    appendLegend(out);
    appendSides(out, x, y);
    for (Bound bound : bounds) {
      int at = (int) Math.round(down(y.place(bound.y())));
      out.append(SvgText.line("bound", LEFT, at, WIDTH - RIGHT, at));
      out.append(SvgText.at("soft", LEFT + 6, at - 4, bound.name()));
    }
    for (int i = 0; i < lines.size(); i++) {
      append(out, lines.get(i), i % STYLES, x, y);
    }
    return out.append("</svg>\n").toString();
  }

  private void appendLegend(StringBuilder out) {
    int left = LEFT;
    for (int i = 0; i < lines.size(); i++) {
      String name = lines.get(i).name();
      out.append(
          "<line class=\"line s%d\" x1=\"%d\" y1=\"30\" x2=\"%d\" y2=\"30\"/>"
              .formatted(i % STYLES, left, left + 22));
      out.append(SvgText.at("legend", left + 27, 34, name)).append('\n');
      left += 27 + SvgText.width(name) + 16;
    }
  }

  private void appendSides(StringBuilder out, Scale x, Scale y) {
    int bottom = HEIGHT - BOTTOM;
    for (Scale.Tick tick : y.ticks()) {
      int at = (int) Math.round(down(tick.place()));
      out.append(SvgText.line("grid", LEFT, at, WIDTH - RIGHT, at));
      out.append(SvgText.at("label", LEFT - 6, at + 4, tick.label()));
    }
    for (Scale.Tick tick : x.ticks()) {
      int at = (int) Math.round(across(tick.place()));
      out.append(SvgText.line("axis", at, bottom, at, bottom + 4));
      out.append(SvgText.at("middle", at, bottom + 17, tick.label()));
    }
    out.append(SvgText.line("axis", LEFT, bottom, WIDTH - RIGHT, bottom));
    out.append(SvgText.at("middle soft", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, xTitle));
  }

  private void append(StringBuilder out, Line line, int style, Scale x, Scale y) {
    out.append(
        "<g class=\"s%d\"><title>%s</title>".formatted(style, HtmlPage.escaped(line.name())));
    out.append("<polyline class=\"line s%d\" points=\"".formatted(style));
    for (Point point : line.points()) {
      out.append(
          String.format(
              Locale.ROOT, "%.1f,%.1f ", across(x.place(point.x())), down(y.place(point.y()))));
    }
    out.append("\"/>\n");
    if (line.points().size() <= MARKED_POINTS) {
      line.points().forEach(point -> appendMark(out, line.name(), style, point, x, y));
    }
    out.append("</g>\n");
  }

  private void appendMark(
      StringBuilder out, String name, int style, Point point, Scale x, Scale y) {
    out.append(
        String.format(
            Locale.ROOT,
            "<circle class=\"mark s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>%s, %s: %s</title></circle>%n",
            style,
            across(x.place(point.x())),
            down(y.place(point.y())),
            HtmlPage.escaped(name),
            xScale.text(point.x()),
            yScale.text(point.y())));
  }

  private static double across(double place) {
    return LEFT + place * (WIDTH - RIGHT - LEFT);
  }

  private static double down(double place) {
    return HEIGHT - BOTTOM - place * (HEIGHT - BOTTOM - TOP);
  }
}
