package org.nyala.loadtest.result;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A table of the number of operations by duration in whole seconds, which the first published
 * measurement of an LDAP server (1996) used, with the same columns. Immutable.
 */
public final class SecondsTable {
  /** The width of a row. */
  public enum Unit {
    /** A second, as in 1996. */
    SECONDS("secs", 1e9),
    /** A thousandth, for servers of today. */
    MILLIS("msecs", 1e6);

    private final String title;
    private final double nanos;

    Unit(String title, double nanos) {
      this.title = title;
      this.nanos = nanos;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Unit unit;
  private final Map<Long, Long> rows = new TreeMap<>();
  private final long total;
  private final double meanNanos;
  private final long timeOuts;

  /**
   * Sorts times into rows.
   *
   * @param nanos the times
   * @param timeOuts the number of operations without an answer in time; they are in the rows of the
   *     times that they were waited for
   */
  public SecondsTable(Unit unit, Histogram nanos, long timeOuts) {
    this.unit = unit;
    this.total = nanos.getTotalCount();
    this.meanNanos = nanos.getMean();
    this.timeOuts = timeOuts;
    for (HistogramIterationValue value : nanos.recordedValues()) {
      long row = (long) (nanos.medianEquivalentValue(value.getValueIteratedTo()) / unit.nanos);
      rows.merge(row, value.getCountAddedInThisIterationStep(), Long::sum);
    }
  }

  /** The table for people. */
  public String text() {
    StringBuilder out = new StringBuilder(512);
    out.append(
        String.format(
            Locale.ROOT,
            "%6s  %16s  %18s%n",
            unit.title,
            "# of occurrences",
            "% of total queries"));
    rows.forEach(
        (row, count) ->
            out.append(
                String.format(Locale.ROOT, "%6d  %16d  %18d%n", row, count, percent(count))));
    out.append(String.format(Locale.ROOT, "Total number of queries: %d%n", total));
    out.append(
        String.format(
            Locale.ROOT, "Average response time: %.2f %s%n", meanNanos / unit.nanos, unit.title));
    return out.append(String.format(Locale.ROOT, "Queries that timed out: %d%n", timeOuts))
        .toString();
  }

  private long percent(long count) {
    return Math.round(100.0 * count / Math.max(1, total));
  }

  /** The rows for programs: whole units, number of operations. */
  public JsonObject json() {
    JsonArray pairs = new JsonArray();
    rows.forEach(
        (row, count) -> {
          JsonArray pair = new JsonArray();
          pair.add(row);
          pair.add(count);
          pairs.add(pair);
        });
    JsonObject json = new JsonObject();
    json.addProperty("unit", unit.toString());
    json.add("rows", pairs);
    return json;
  }
}
