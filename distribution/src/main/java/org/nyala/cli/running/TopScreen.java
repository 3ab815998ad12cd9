package org.nyala.cli.running;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.nyala.cli.running.TopSample.Rate;
import org.nyala.cli.running.TopSample.Row;
import org.nyala.management.bean.ConnectionsMXBean.Connection;
import org.nyala.management.bean.OperationsMXBean.Running;
import org.nyala.management.bean.OperationsMXBean.Times;
import org.nyala.management.bean.SyncMXBean.Copy;

/**
 * The form in which {@code nyala top} shows figures: which list, in which order, from which row on.
 *
 * <p>Immutable.
 *
 * @param list the list below the figures
 * @param order the order of connections
 * @param isReversed the smallest first instead of the greatest
 * @param first the number of rows that are passed over, from 0
 * @param isPaused whether figures stay as they are
 */
record TopScreen(Shown list, Order order, boolean isReversed, int first, boolean isPaused) {
  /** The form at first. */
  static final TopScreen FIRST = new TopScreen(Shown.connections, Order.rate, false, 0, false);

  /** The number of rows for which an arrow or a key of pages goes on. */
  private static final int PAGE_ROWS = 10;

  private static final int MOST_ALARMS = 3;
  private static final int MOST_COPIES = 3;
  private static final double MEBIBYTE = 1 << 20;
  private static final double MILLI = 1_000;

  /** The lists. */
  enum Shown {
    connections,
    operations
  }

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
      case 'c' -> new TopScreen(Shown.connections, order, isReversed, 0, isPaused);
      case 'o' -> new TopScreen(Shown.operations, order, isReversed, 0, isPaused);
      case 's' -> {
        List<Order> all = List.of(Order.values());
        Order next = all.get((all.indexOf(order) + 1) % all.size());
        yield new TopScreen(list, next, isReversed, 0, isPaused);
      }
      case 'r' -> new TopScreen(list, order, !isReversed, 0, isPaused);
      case 'j' -> new TopScreen(list, order, isReversed, first + PAGE_ROWS, isPaused);
      case 'k' -> new TopScreen(list, order, isReversed, Math.max(0, first - PAGE_ROWS), isPaused);
      case ' ' -> new TopScreen(list, order, isReversed, first, !isPaused);
      default -> this;
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
   * Returns the lines of a screen, none longer than its width, and as many as it has at most.
   *
   * @param width the number of columns, from 1
   * @param height the number of lines, from 1
   */
  List<String> lines(TopSample sample, int width, int height) {
    List<String> screen = new ArrayList<>(text(sample, width, height - 1));
    while (screen.size() < height - 1) {
      screen.add("");
    }
    screen.add(cut(keys(), width));
    return screen;
  }

  /** Returns the same without the line about keys, and without empty lines at the end. */
  List<String> text(TopSample sample, int width, int height) {
    List<String> lines = new ArrayList<>();
    figures(sample, lines);
    lines.add("");
    kinds(sample, lines);
    lines.add("");
    int room = Math.max(1, height - lines.size() - 2);
    if (list == Shown.connections) {
      connections(sample, room, lines);
    } else {
      operations(sample, room, lines);
    }
    return lines.stream().limit(height).map(line -> cut(plain(line), width)).toList();
  }

  /** Returns the line about the keys. */
  private String keys() {
    return "q ends  c connections  o operations  s other order  r reversed  j k down and up"
        + (isPaused ? "  space goes on (paused)" : "  space pauses");
  }

  private static void figures(TopSample sample, List<String> lines) {
    long up = sample.number("Server.UptimeSeconds");
    lines.add(
        sample.program()
            + ", up "
            + duration(up)
            + ", "
            + sample.data()
            + ", "
            + sample.strategy());
    List<String> alarms = sample.alarms();
    lines.add("alarms       " + (alarms.isEmpty() ? "none" : alarms.getFirst()));
    alarms.stream()
        .skip(1)
        .limit(MOST_ALARMS - 1)
        .forEach(each -> lines.add("             " + each));
    if (alarms.size() > MOST_ALARMS) {
      lines.add("             and " + (alarms.size() - MOST_ALARMS) + " more: nyala status");
    }
    lines.add(
        String.format(
            Locale.ROOT,
            "connections  %,d open, %,.0f new/s, %,d held up by their clients",
            sample.number("Connections.Current"),
            sample.rate("Connections.Opened"),
            sample.number("Connections.AwaitingClients")));
    lines.add(
        String.format(
            Locale.ROOT,
            "operations   %,d running, %,d with a permit or queued, %,.1f refused/s (busy)",
            sample.number("Operations.Active"),
            sample.number("Dispatch.InFlight"),
            sample.rate("Operations.Refused")));
    lines.add(
        String.format(
            Locale.ROOT,
            "traffic      %,.2f MiB/s in, %,.2f MiB/s out, %,.0f entries/s; %,.1f MiB held",
            sample.rate("Connections.BytesReceived") / MEBIBYTE,
            sample.rate("Connections.BytesSent") / MEBIBYTE,
            sample.rate("Operations.EntriesSent"),
            sample.number("Connections.HeldBytes") / MEBIBYTE));
    store(sample, lines);
    for (Copy copy : sample.copies().stream().limit(MOST_COPIES).toList()) {
      lines.add(
          "copy         "
              + copy.suffix()
              + " of "
              + copy.provider()
              + ": "
              + copy.phase()
              + ", "
              + copy.lagSeconds()
              + " s behind");
    }
  }

  private static void store(TopSample sample, List<String> lines) {
    double commits = sample.rate("Store.Commits");
    lines.add(
        String.format(
            Locale.ROOT,
            "commits      %,.0f/s of %.1f changes, %.2f ms each; %,d changes wait",
            commits,
            commits > 0 ? sample.rate("Store.Changes") / commits : 0,
            commits > 0 ? sample.rate("Store.CommitMicros") / commits / MILLI : 0,
            sample.number("Store.WaitingChanges")));
    lines.add(
        String.format(
            Locale.ROOT,
            "store        %,d entries, %,.1f MiB; %,d reads open, the oldest for %,d s",
            sample.number("Store.Entries"),
            sample.number("Store.UsedBytes") / MEBIBYTE,
            sample.number("Store.OpenReads"),
            sample.number("Store.OldestReadSeconds")));
  }

  private static void kinds(TopSample sample, List<String> lines) {
    lines.add(
        String.format(
            Locale.ROOT,
            "%-12s %10s %10s %10s %10s %10s %14s",
            "operation",
            "per s",
            "mean ms",
            "p50 ms",
            "p99 ms",
            "p99.9 ms",
            "since start"));
    for (Rate each : sample.kinds()) {
      Times whole = each.whole().whole();
      lines.add(
          String.format(
              Locale.ROOT,
              "%-12s %,10.0f %10.2f %10.2f %10.2f %10.2f %,14d",
              each.whole().operation(),
              each.perSecond(),
              each.meanMicros() / MILLI,
              whole.medianMicros() / MILLI,
              whole.percentile99Micros() / MILLI,
              whole.percentile999Micros() / MILLI,
              each.whole().completed()));
    }
    if (sample.kinds().isEmpty()) {
      lines.add("none");
    }
  }

  private void connections(TopSample sample, int room, List<String> lines) {
    List<Row> sorted = sorted(sample);
    lines.add(
        "connections by "
            + order
            + (isReversed ? ", the smallest first" : "")
            + position(sorted.size(), room));
    lines.add(
        String.format(
            Locale.ROOT,
            "%8s %8s %4s %5s %10s %6s %6s  %-22s %s",
            "number",
            "per s",
            "exec",
            "wait",
            "completed",
            "idle",
            "age",
            "client",
            "identity"));
    for (Row row : sorted.stream().skip(first).limit(room).toList()) {
      Connection each = row.whole();
      lines.add(
          String.format(
              Locale.ROOT,
              "%8d %,8.0f %4d %5d %,10d %6s %6s  %-22s %s",
              each.number(),
              row.perSecond(),
              each.executing(),
              each.pending(),
              each.completed(),
              duration(each.idleSeconds()),
              duration(each.ageSeconds()),
              each.peer(),
              (each.identity().isEmpty() ? "anonymous" : each.identity())
                  + (each.isReading() ? "" : " (not read from)")
                  + (each.isWritable() ? "" : " (does not read)")));
    }
  }

  private void operations(TopSample sample, int room, List<String> lines) {
    List<Running> all = isReversed ? sample.running().reversed() : sample.running();
    lines.add(
        "running operations, the "
            + (isReversed ? "shortest" : "longest")
            + " first"
            + position(all.size(), room));
    lines.add(
        String.format(
            Locale.ROOT,
            "%8s %8s %10s  %-10s %s",
            "conn",
            "message",
            "ms",
            "operation",
            "client, request"));
    for (Running each : all.stream().skip(first).limit(room).toList()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%8d %8d %,10d  %-10s %s",
              each.connection(),
              each.messageId(),
              each.millis(),
              each.operation(),
              (each.identity().isEmpty() ? "anonymous" : each.identity()) + ", " + each.request()));
    }
  }

  private String position(int size, int room) {
    return size <= room && first == 0
        ? ": " + size
        : ": " + Math.min(first + 1, size) + " to " + Math.min(first + room, size) + " of " + size;
  }

  /** Returns a duration in its largest unit. */
  private static String duration(long seconds) {
    long minutes = TimeUnit.SECONDS.toMinutes(seconds);
    long hours = TimeUnit.SECONDS.toHours(seconds);
    long days = TimeUnit.SECONDS.toDays(seconds);
    return days > 0
        ? days + "d"
        : hours > 0 ? hours + "h" : minutes > 0 ? minutes + "m" : seconds + "s";
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
