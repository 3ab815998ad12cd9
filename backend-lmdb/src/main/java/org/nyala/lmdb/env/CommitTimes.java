package org.nyala.lmdb.env;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.nyala.core.metrics.Latency;
import org.nyala.core.metrics.LatencyHistogram;

/**
 * How many commits there were, how long each waited for the disk, how many changes they carried,
 * and which failed.
 *
 * <p>Written by whoever commits, one at a time; read by any thread.
 */
public final class CommitTimes {
  private final LongSupplier nanoClock;
  private final LongSupplier millisClock;
  private final LatencyHistogram latency = new LatencyHistogram();
  private final LatencyHistogram sizes = new LatencyHistogram();
  private final LongAdder changes = new LongAdder();
  private volatile long largest;
  private volatile long lastMillis;
  private volatile CommitFailures failures = CommitFailures.NONE;

  /**
   * Begins to count.
   *
   * @param millisClock the time of day, in milliseconds since 1970
   */
  CommitTimes(LongSupplier nanoClock, LongSupplier millisClock) {
    this.nanoClock = nanoClock;
    this.millisClock = millisClock;
  }

  /** The time before a commit. */
  public long now() {
    return nanoClock.getAsLong();
  }

  /** A commit is done. */
  public void done(long sinceNanos, long changed) {
    latency.record(nanoClock.getAsLong() - sinceNanos);
    lastMillis = millisClock.getAsLong();
    changes.add(changed);
    if (changed > 0) {
      // Microseconds stand for changes.
      sizes.record(TimeUnit.MICROSECONDS.toNanos(changed));
    }
    if (changed > largest) {
      largest = changed;
    }
  }

  /** How long commits took. */
  public Latency latency() {
    return latency.read();
  }

  /** How many changes commits carried, of those that did; a change is a microsecond. */
  public Latency sizes() {
    return sizes.read();
  }

  /** Entries that they have changed, added or deleted. */
  public long changes() {
    return changes.sum();
  }

  /** The most that one of them has. */
  public long largest() {
    return largest;
  }

  /** When the last commit was on disk, in milliseconds since 1970; 0 where there was none. */
  public long lastMillis() {
    return lastMillis;
  }

  /** Something could not be stored. */
  void failed(String reason) {
    failures = failures.and(millisClock.getAsLong(), reason);
  }

  /** Something that takes room was stored. */
  void stored() {
    failures = failures.over();
  }

  /** What could not be stored. */
  public CommitFailures failures() {
    return failures;
  }
}
