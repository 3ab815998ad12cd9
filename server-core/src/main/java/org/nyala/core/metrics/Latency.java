package org.nyala.core.metrics;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A distribution of durations, as counted at one moment.
 *
 * <p>Immutable.
 */
public final class Latency {
  private final long[] counts;
  private final long sumNanos;
  private final long count;

  private Latency(long[] counts, long sumNanos) {
    this.counts = counts;
    this.sumNanos = sumNanos;
    long sum = 0;
    for (long each : counts) {
      sum += each;
    }
    this.count = sum;
  }

  /** Returns the sum of several histograms. */
  static Latency of(List<LatencyHistogram> histograms) {
    long[] counts = new long[LatencyHistogram.BUCKETS];
    long sum = 0;
    for (LatencyHistogram histogram : histograms) {
      histogram.addTo(counts);
      sum += histogram.sumNanos();
    }
    return new Latency(counts, sum);
  }

  /** Returns the sum of this and another distribution. */
  public Latency and(Latency other) {
    long[] sum = counts.clone();
    for (int i = 0; i < sum.length; i++) {
      sum[i] += other.counts[i];
    }
    return new Latency(sum, sumNanos + other.sumNanos);
  }

  /**
   * Returns the durations that were counted since an earlier moment.
   *
   * @param earlier the same distribution then
   */
  public Latency since(Latency earlier) {
    long[] rest = counts.clone();
    for (int i = 0; i < rest.length; i++) {
      rest[i] = Math.max(0, rest[i] - earlier.counts[i]);
    }
    return new Latency(rest, Math.max(0, sumNanos - earlier.sumNanos));
  }

  /** Without anything in it. */
  public static Latency none() {
    return new Latency(new long[LatencyHistogram.BUCKETS], 0);
  }

  /** Returns the number of durations. */
  public long count() {
    return count;
  }

  /** All together, in nanoseconds. */
  public long sumNanos() {
    return sumNanos;
  }

  /** The bounds that {@link #countUpTo} knows exactly: one microsecond, two, four, to 2^26. */
  public static List<Long> bounds() {
    return IntStream.rangeClosed(0, 26).mapToObj(octave -> 1000L << octave).toList();
  }

  /**
   * Returns the number of durations up to a bound.
   *
   * @param nanos one of {@link #bounds()}
   */
  public long countUpTo(long nanos) {
    long sum = 0;
    for (int i = 0; i < counts.length && LatencyHistogram.upperNanos(i) <= nanos; i++) {
      sum += counts[i];
    }
    return sum;
  }

  /**
   * Returns the duration that the given part of all did not exceed, in nanoseconds, too long by an
   * eighth at most; 0 if there are none.
   *
   * @param fraction 0.5 for the median, 0.99 for the 99th percentile
   */
  public long percentileNanos(double fraction) {
    long wanted = (long) Math.ceil(count * fraction);
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= wanted && seen > 0) {
        return Math.min(
            LatencyHistogram.upperNanos(i),
            LatencyHistogram.upperNanos(LatencyHistogram.BUCKETS - 2));
      }
    }
    return 0;
  }
}
