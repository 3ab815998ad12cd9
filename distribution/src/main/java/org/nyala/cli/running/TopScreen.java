package org.nyala.cli.running;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.nyala.cli.running.TopSample.Row;

/**
 * The form in which {@code nyala top} shows figures: which list, in which order, from which row on.
 *
 * <p>Immutable.
 *
 * @param list the list below the figures
 * @param order the order of connections
 * @param isReversed the last row first; of connections the smallest
 * @param first the number of rows that are passed over, from 0
 * @param isPaused whether figures stay as they are
 */
record TopScreen(TopList list, Order order, boolean isReversed, int first, boolean isPaused) {
  /** The form at first. */
  static final TopScreen FIRST = new TopScreen(TopList.connections, Order.rate, false, 0, false);

  /** The rows of the list for which figures make way. */
  static final int LEAST_ROWS = 5;

  /** The number of rows for which an arrow or a key of pages goes on. */
  private static final int PAGE_ROWS = 10;

  /** The lines of a list above its rows. */
  private static final int TITLES = 2;

  /** The lines of a screen for each of which a line may be about keys. */
  private static final int LINES_PER_KEYS = 8;

  private static final String BETWEEN = "  ";

  /** The orders of connections, in that of the key. */
  enum Order {
    rate,
    executing,
    pending,
    completed,
    idle,
    age,
    number;

    private Comparator<Row> ascending() {
      return switch (this) {
        case rate -> Comparator.comparingDouble(Row::perSecond);
        case executing -> Comparator.comparingInt(row -> row.whole().executing());
        case pending -> Comparator.comparingInt(row -> row.whole().pending());
        case completed -> Comparator.comparingLong(row -> row.whole().completed());
        case idle -> Comparator.comparingLong(row -> row.whole().idleSeconds());
        case age -> Comparator.comparingLong(row -> row.whole().ageSeconds());
        case number -> Comparator.comparingInt(row -> row.whole().number());
      };
    }
  }

  /** Returns the form after a key; the same for keys that have no meaning. */
  TopScreen after(int key) {
    return switch (key) {
      case 's' -> {
        List<Order> all = List.of(Order.values());
        Order next = all.get((all.indexOf(order) + 1) % all.size());
        yield new TopScreen(list, next, isReversed, 0, isPaused);
      }
      case 'r' -> new TopScreen(list, order, !isReversed, 0, isPaused);
      case 'j' -> new TopScreen(list, order, isReversed, first + PAGE_ROWS, isPaused);
      case 'k' -> new TopScreen(list, order, isReversed, Math.max(0, first - PAGE_ROWS), isPaused);
      case ' ' -> new TopScreen(list, order, isReversed, first, !isPaused);
      default ->
          Arrays.stream(TopList.values())
              .filter(each -> each.key() == key)
              .findFirst()
              .map(each -> new TopScreen(each, order, isReversed, 0, isPaused))
              .orElse(this);
    };
  }

  /** Returns the connections in their order. */
  List<Row> sorted(TopSample sample) {
    Comparator<Row> ascending = order.ascending();
    return sample.connections().stream()
        .sorted(
            (isReversed ? ascending : ascending.reversed())
                .thenComparingInt(row -> row.whole().number()))
        .toList();
  }

  /**
   * Returns the lines of a screen, none longer than its width, and as many as it has.
   *
   * @param width the number of columns, from 1
   * @param height the number of lines, from 1
   */
  List<String> lines(TopSample sample, int width, int height) {
    List<String> keys = keys(width, height);
    int room = height - keys.size();
    Listing listing = TopListing.of(this, sample);
    int needed = TITLES + Math.clamp(listing.size(), 1, LEAST_ROWS);
    List<String> screen = new ArrayList<>(TopFigures.lines(sample, Math.max(1, room - needed)));
    list(listing, Math.max(1, room - screen.size() - TITLES), screen);
    List<String> lines =
        new ArrayList<>(fit(screen, width).subList(0, Math.min(room, screen.size())));
    while (lines.size() < room) {
      lines.add("");
    }
    lines.addAll(fit(keys, width));
    return lines;
  }

  /**
   * Returns all figures and the list, without the lines about keys.
   *
   * @param rows the most rows of the list, from 1
   */
  List<String> text(TopSample sample, int width, int rows) {
    List<String> lines = new ArrayList<>(TopFigures.lines(sample, Integer.MAX_VALUE));
    list(TopListing.of(this, sample), rows, lines);
    return fit(lines, width);
  }

  private void list(Listing listing, int room, List<String> lines) {
    lines.add(listing.title() + position(listing.size(), room));
    lines.add(listing.header());
    lines.addAll(listing.rows(first, room));
  }

  private String position(int size, int room) {
    return size <= room && first == 0
        ? ": " + size
        : ": " + Math.min(first + 1, size) + " to " + Math.min(first + room, size) + " of " + size;
  }

  /** Returns the lines about the keys; a short one if there is no room for those. */
  private List<String> keys(int width, int height) {
    List<String> all = new ArrayList<>(List.of("q ends"));
    StringBuilder letters = new StringBuilder();
    for (TopList each : TopList.values()) {
      all.add(each.key() + " " + each);
      letters.append(each.key());
    }
    String pause = isPaused ? "space goes on (paused)" : "space pauses";
    all.addAll(List.of("s order", "r reversed", "j k down and up", pause));
    List<String> lines = new ArrayList<>(List.of(""));
    for (String each : all) {
      String last = lines.getLast();
      if (last.isEmpty() || last.length() + BETWEEN.length() + each.length() <= width) {
        lines.set(lines.size() - 1, last.isEmpty() ? each : last + BETWEEN + each);
      } else {
        lines.add(each);
      }
    }
    return lines.size() <= height / LINES_PER_KEYS
        ? lines
        : List.of("q ends  " + letters + " lists  s r order  j k rows  " + pause);
  }

  private static List<String> fit(List<String> lines, int width) {
    return lines.stream().map(line -> cut(plain(line), width)).toList();
  }

  /**
   * Returns a text without what a terminal would obey or show elsewhere: names come from clients.
   */
  private static String plain(String text) {
    StringBuilder plain = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            each ->
                plain.appendCodePoint(
                    switch (Character.getType(each)) {
                      case Character.CONTROL,
                          Character.FORMAT,
                          Character.SURROGATE,
                          Character.PRIVATE_USE,
                          Character.UNASSIGNED,
                          Character.LINE_SEPARATOR,
                          Character.PARAGRAPH_SEPARATOR ->
                          '?';
                      default -> each;
                    }));
    return plain.toString();
  }

  private static String cut(String line, int width) {
    return line.codePointCount(0, line.length()) <= width
        ? line
        : line.substring(0, line.offsetByCodePoints(0, width));
  }
}
