package org.nyala.loadtest.format;

/** Pieces of SVG that all charts are made of. */
final class SvgText {
  private static final double CHARACTER_WIDTH = 6.4;

  private SvgText() {}

  /** Begins a picture of so many pixels that grows and shrinks with the page. */
  static String open(int width, int height, String title) {
    return "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">%n"
        .formatted(width, height, width, height, HtmlPage.escaped(title));
  }

  /** A text of a kind that the page knows. */
  static String at(String kind, int x, int y, String text) {
    return "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>"
        .formatted(kind, x, y, HtmlPage.escaped(text));
  }

  /** A straight line of a kind that the page knows. */
  static String line(String kind, int fromX, int fromY, int toX, int toY) {
    return "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>%n"
        .formatted(kind, fromX, fromY, toX, toY);
  }

  /** The approximate width of a text of the usual size, in pixels. */
  static int width(String text) {
    return (int) Math.ceil(text.length() * CHARACTER_WIDTH);
  }
}
