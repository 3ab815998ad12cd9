package org.nyala.loadtest.result;

import org.HdrHistogram.Histogram;

/** The percentiles that every report shows. */
public enum Percentile {
  P50(50, "p50"),
  P75(75, "p75"),
  P90(90, "p90"),
  P95(95, "p95"),
  P99(99, "p99"),
  P999(99.9, "p99.9"),
  P9999(99.99, "p99.99");

  private final double percent;
  private final String label;

  Percentile(double percent, String label) {
    this.percent = percent;
    this.label = label;
  }

  /** The name for people. */
  public String label() {
    return label;
  }

  /** The key for programs, without the point. */
  public String key() {
    return label.replace(".", "");
  }

  /**
   * The value of this percentile, in microseconds, of times in nanoseconds; NaN if there are none.
   */
  public double micros(Histogram nanos) {
    return nanos.getTotalCount() == 0 ? Double.NaN : nanos.getValueAtPercentile(percent) / 1e3;
  }
}
