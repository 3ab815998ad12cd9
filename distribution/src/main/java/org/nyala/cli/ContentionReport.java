package org.nyala.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.core.contention.Counts;
import org.nyala.loadtest.format.Json;
import org.nyala.management.ContentionMXBean.Measurement;
import org.nyala.management.LockWaits;
import org.nyala.server.TextTable;

/**
 * What {@code nyala contention} has measured: the server's own counters and a flight recording, as
 * two tables or as JSON.
 *
 * <p>Immutable.
 *
 * @param measurement what the server has counted
 * @param recorded what the flight recorder saw at locks without a counter
 * @param complete whether the recording is all there
 * @param top rows of each table at most
 */
record ContentionReport(
    Measurement measurement, List<LockWaits.Wait> recorded, boolean complete, int top) {
  private static final String NOT_KNOWN = "-";
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Copies the list. */
  ContentionReport {
    recorded = List.copyOf(recorded);
  }

  /**
   * A row of the first table.
   *
   * @param acquisitions null where nobody counts those that need not wait
   * @param heldNanos null likewise
   */
  private record LockRow(
      String site,
      String source,
      @Nullable Long acquisitions,
      long contended,
      long contendedNanos,
      @Nullable Long heldNanos) {
    @Nullable Double averageMillis() {
      return acquisitions == null || heldNanos == null || acquisitions == 0
          ? null
          : heldNanos / NANOS_PER_MILLI / acquisitions;
    }
  }

  private List<LockRow> locks() {
    List<LockRow> rows = new ArrayList<>();
    for (Counts.Lock lock : measurement.counts().locks()) {
      rows.add(
          new LockRow(
              lock.site(),
              "counter",
              lock.acquisitions(),
              lock.contended(),
              lock.contendedNanos(),
              lock.heldNanos()));
    }
    for (LockWaits.Wait wait : recorded) {
      String source = "jfr " + wait.kind().name().toLowerCase(Locale.ROOT);
      rows.add(new LockRow(wait.site(), source, null, wait.waits(), wait.nanos(), null));
    }
    rows.sort(
        Comparator.comparingLong(LockRow::contended)
            .thenComparingLong(LockRow::contendedNanos)
            .reversed()
            .thenComparing(LockRow::site));
    return rows;
  }

  private List<Counts.Wait> waits() {
    return measurement.counts().waits().stream()
        .sorted(
            Comparator.comparingLong(Counts.Wait::waitNanos)
                .reversed()
                .thenComparing(Counts.Wait::site))
        .toList();
  }

  /** The tables as text, line by line. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    List<LockRow> locks = locks();
    List<Counts.Wait> waits = waits();
    lines.add("strategy    " + String.join(", then ", measurement.strategies()));
    lines.add(
        String.format(
            Locale.ROOT,
            "measured    %.1f s, processors %d, operations %d",
            seconds(),
            measurement.processors(),
            measurement.operations()));
    lines.add("");
    lines.add("Locks by how often they had to be waited for" + shown(locks.size()));
    lines.addAll(lockTable(locks).lines());
    lines.add("");
    lines.add("Waits in queues and for permits, by time" + shown(waits.size()));
    lines.addAll(waitTable(waits).lines());
    if (!complete) {
      lines.add("");
      lines.add("The flight recording grew too large and lacks its beginning: fewer --seconds.");
    }
    return lines;
  }

  private String shown(int rows) {
    return rows > top ? String.format(Locale.ROOT, " (%d of %d)", top, rows) : "";
  }

  private TextTable lockTable(List<LockRow> rows) {
    TextTable table =
        new TextTable(
            "site", "source", "count", "contended", "contended ms", "total ms", "average ms");
    for (LockRow row : rows.subList(0, Math.min(top, rows.size()))) {
      table.add(
          row.site(),
          row.source(),
          row.acquisitions() == null ? NOT_KNOWN : row.acquisitions().toString(),
          Long.toString(row.contended()),
          millis(row.contendedNanos()),
          row.heldNanos() == null ? NOT_KNOWN : millis(row.heldNanos()),
          row.averageMillis() == null ? NOT_KNOWN : average(row.averageMillis()));
    }
    return table;
  }

  private TextTable waitTable(List<Counts.Wait> rows) {
    TextTable table =
        new TextTable("site", "waits", "signals", "sleeps", "total ms", "average ms", "longest ms");
    for (Counts.Wait row : rows.subList(0, Math.min(top, rows.size()))) {
      table.add(
          row.site(),
          Long.toString(row.waits()),
          Long.toString(row.signals()),
          Long.toString(row.sleeps()),
          millis(row.waitNanos()),
          row.waits() == 0 ? NOT_KNOWN : average(averageMillis(row)),
          millis(row.longestNanos()));
    }
    return table;
  }

  private static double averageMillis(Counts.Wait row) {
    return row.waitNanos() / NANOS_PER_MILLI / row.waits();
  }

  private static String millis(long nanos) {
    return text(nanos / NANOS_PER_MILLI);
  }

  private static String text(double millis) {
    return String.format(Locale.ROOT, "%.3f", millis);
  }

  /** To the nanosecond: a lock is held for less than a microsecond. */
  private static String average(double millis) {
    return String.format(Locale.ROOT, "%.6f", millis);
  }

  private double seconds() {
    return measurement.counts().nanos() / NANOS_PER_SECOND;
  }

  /** One JSON object; the manual says what its members are. */
  String json() {
    List<LockRow> locks = locks();
    List<Counts.Wait> waits = waits();
    return new Json()
        .putTexts("strategies", measurement.strategies())
        .put("seconds", seconds())
        .put("processors", measurement.processors())
        .put("operations", measurement.operations())
        .putRaw("complete", Boolean.toString(complete))
        .put("lockSites", locks.size())
        .put("locks", locks.stream().limit(top).map(ContentionReport::json).toList())
        .put("waitSites", waits.size())
        .put("waits", waits.stream().limit(top).map(ContentionReport::json).toList())
        .toString();
  }

  private static String json(LockRow row) {
    return new Json()
        .put("site", row.site())
        .put("source", row.source())
        .putRaw("count", row.acquisitions() == null ? "null" : row.acquisitions().toString())
        .put("contended", row.contended())
        .put("contendedMillis", row.contendedNanos() / NANOS_PER_MILLI)
        .put(
            "totalMillis", row.heldNanos() == null ? Double.NaN : row.heldNanos() / NANOS_PER_MILLI)
        .putRaw(
            "averageMillis", row.averageMillis() == null ? "null" : average(row.averageMillis()))
        .toString();
  }

  private static String json(Counts.Wait row) {
    return new Json()
        .put("site", row.site())
        .put("waits", row.waits())
        .put("signals", row.signals())
        .put("sleeps", row.sleeps())
        .put("totalMillis", row.waitNanos() / NANOS_PER_MILLI)
        .putRaw("averageMillis", row.waits() == 0 ? "null" : average(averageMillis(row)))
        .put("longestMillis", row.longestNanos() / NANOS_PER_MILLI)
        .toString();
  }
}
