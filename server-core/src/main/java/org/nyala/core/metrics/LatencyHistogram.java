package org.nyala.core.metrics;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of durations of an operation, in buckets an eighth of their octave wide: from one
 * microsecond to eighteen minutes, with an error of at most one eighth.
 *
 * <p>One thread writes, any thread reads; a reader may miss what is being written. Hot: {@link
 * #record} is two plain additions.
 */
public final class LatencyHistogram {
  /*
   * Buckets end at 2^k * (1 + j/8) microseconds, so that 1, 2, 4, 8... microseconds are boundaries that can be shown to the outside.
   * A time is scaled so that a microsecond becomes 1024 units, and the place of a bucket is read off the highest bits. One is taken
   * off before, for a bucket includes its upper end.
   */
  private static final int SUB_BITS = 3;
  private static final int SUBS = 1 << SUB_BITS;
  private static final int UNIT_SHIFT = 10;
  private static final int OCTAVES = 30;

  /** 1024 units in 1000 nanoseconds, in lowest terms. */
  private static final int UNITS = 128;

  private static final int NANOS = 125;
  private static final long MAXIMUM_NANOS = 1L << 44;

  /**
   * The number of buckets; the first one has durations below a microsecond, the last one those
   * above the range.
   */
  static final int BUCKETS = OCTAVES * SUBS + 2;

  private static final int SUM = BUCKETS;

  private final AtomicLongArray cells = new AtomicLongArray(BUCKETS + 1);

  /** Creates one without anything in it. */
  public LatencyHistogram() {}

  /** Counts a time. On the writing thread. */
  public void record(long nanos) {
    int bucket = bucket(nanos);
    cells.setOpaque(bucket, cells.getPlain(bucket) + 1);
    cells.setOpaque(SUM, cells.getPlain(SUM) + Math.max(0, nanos));
  }

  /** The bucket of a time. */
  static int bucket(long nanos) {
    long units = Math.clamp(nanos - 1, 0, MAXIMUM_NANOS) * UNITS / NANOS;
    int octave = Long.SIZE - 1 - Long.numberOfLeadingZeros(units | 1) - UNIT_SHIFT;
    if (octave < 0) {
      return 0;
    }
    int sub = (int) (units >>> (octave + UNIT_SHIFT - SUB_BITS)) & (SUBS - 1);
    return Math.min(1 + octave * SUBS + sub, BUCKETS - 1);
  }

  /** The longest time that a bucket has, in nanoseconds; without an end for the last one. */
  static long upperNanos(int bucket) {
    if (bucket == BUCKETS - 1) {
      return Long.MAX_VALUE;
    }
    int octave = bucket / SUBS;
    int sub = bucket % SUBS;
    return (1000L * (SUBS + sub) << octave) >> SUB_BITS;
  }

  /** Returns the present state. Any thread. Any thread. */
  public Latency read() {
    return Latency.of(List.of(this));
  }

  /** Adds these counts to a sum of several. */
  void addTo(long[] counts) {
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] += cells.getOpaque(i);
    }
  }

  /** All times together, in nanoseconds. */
  long sumNanos() {
    return cells.getOpaque(SUM);
  }
}
