package org.nyala.lmdb.env;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.nyala.core.metrics.Latency;
import org.nyala.core.metrics.LatencyHistogram;

/**
 * Statistics of commits: their number, how long each waited for the disk, how many changes they
 * carried, and which failed.
 *
 * <p>Written by the committing thread, one at a time; read by any thread.
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

  /** Returns the time before a commit. */
  public long now() {
    return nanoClock.getAsLong();
  }

  /** Counts a commit. */
  public void done(long sinceNanos, long changed) {
    latency.record(nanoClock.getAsLong() - sinceNanos);
    lastMillis = millisClock.getAsLong();
    changes.add(changed);
    if (changed > 0) {
      // A microsecond stands for a change.
      sizes.record(TimeUnit.MICROSECONDS.toNanos(changed));
    }
    if (changed > largest) {
      largest = changed;
    }
  }

  /** Returns the durations of commits. */
  public Latency latency() {
    return latency.read();
  }

  /**
   * Returns the numbers of changes of the commits that carried any; a change counts as a
   * microsecond.
   */
  public Latency sizes() {
    return sizes.read();
  }

  /** Returns the number of entries that commits have changed, added or deleted. */
  public long changes() {
    return changes.sum();
  }

  /** Returns the largest number of changes in one commit. */
  public long largest() {
    return largest;
  }

  /** Returns when the last commit was on disk, in milliseconds since 1970; 0 if there was none. */
  public long lastMillis() {
    return lastMillis;
  }

  /** Counts a change that could not be stored. */
  void failed(String reason) {
    failures = failures.and(millisClock.getAsLong(), reason);
  }

  /** Notes that a change that takes space was stored. */
  void stored() {
    failures = failures.over();
  }

  /** Returns the changes that could not be stored. */
  public CommitFailures failures() {
    return failures;
  }
}
