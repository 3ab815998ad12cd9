package org.nyala.loadtest.result;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.Arrays;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.JsonNumber;

/**
 * A table of the number of operations by duration, in rows of 1, 2 and 5 times a power of ten.
 * Immutable.
 */
public final class LatencyTable {
  /**
   * Upper bounds of the rows, exclusive, in microseconds; longer operations are in the last row.
   */
  private static final long[] BOUNDS_MICROS = {
    50,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000
  };

  /** The number of rows, that of the longest included. */
  public static final int ROWS = BOUNDS_MICROS.length + 1;

  private static final double NANOS_PER_MICRO = 1e3;

  private final long[] counts = new long[ROWS];
  private final double meanMicros;

  private LatencyTable(double meanMicros) {
    this.meanMicros = meanMicros;
  }

  /** Sorts the times, in nanoseconds, into rows. */
  public static LatencyTable of(Histogram nanos) {
    LatencyTable table = new LatencyTable(nanos.getMean() / NANOS_PER_MICRO);
    for (HistogramIterationValue value : nanos.recordedValues()) {
      double micros = nanos.medianEquivalentValue(value.getValueIteratedTo()) / NANOS_PER_MICRO;
      int row = Arrays.binarySearch(BOUNDS_MICROS, (long) micros);
      table.counts[row < 0 ? -row - 1 : row + 1] += value.getCountAddedInThisIterationStep();
    }
    return table;
  }

  /** The number of operations in a row. */
  public long count(int row) {
    return counts[row];
  }

  /** The total number of operations. */
  public long total() {
    return Arrays.stream(counts).sum();
  }

  public double meanMicros() {
    return meanMicros;
  }

  /** The range of a row, in words. */
  public static String label(int row) {
    return row < BOUNDS_MICROS.length
        ? "below " + FigureText.micros((double) BOUNDS_MICROS[row])
        : "longer";
  }

  /** The rows from the first to the last that is not empty, for people. */
  public String text() {
    StringBuilder out = new StringBuilder(512);
    for (int row = first(); row <= last(); row++) {
      out.append(
          String.format(
              Locale.ROOT,
              "  %-16s %,10d %5.1f %%%n",
              label(row),
              counts[row],
              100.0 * counts[row] / total()));
    }
    return out.toString();
  }

  /** The rows for programs: upper bound in microseconds, number of operations. */
  public JsonArray json() {
    JsonArray rows = new JsonArray();
    for (int row = first(); row <= last(); row++) {
      double bound = row < BOUNDS_MICROS.length ? BOUNDS_MICROS[row] : Double.POSITIVE_INFINITY;
      JsonObject json = new JsonObject();
      json.add("belowMicros", JsonNumber.of(bound));
      json.addProperty("count", counts[row]);
      rows.add(json);
    }
    return rows;
  }

  private int first() {
    int row = 0;
    while (row < counts.length - 1 && counts[row] == 0) {
      row++;
    }
    return row;
  }

  private int last() {
    int row = counts.length - 1;
    while (row > 0 && counts[row] == 0) {
      row--;
    }
    return row;
  }
}
