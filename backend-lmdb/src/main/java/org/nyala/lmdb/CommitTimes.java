package org.nyala.lmdb;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.nyala.core.metrics.Latency;
import org.nyala.core.metrics.LatencyHistogram;

/**
 * How many commits there were, how long each waited for the disk, and how many changes they
 * carried.
 *
 * <p>Written by whoever commits, one at a time; read by any thread.
 */
final class CommitTimes {
  private final LongSupplier nanoClock;
  private final LatencyHistogram latency = new LatencyHistogram();
  private final LongAdder changes = new LongAdder();
  private volatile long largest;

  CommitTimes(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** The time before a commit. */
  long now() {
    return nanoClock.getAsLong();
  }

  /** A commit is done. */
  void done(long sinceNanos, long changed) {
    latency.record(nanoClock.getAsLong() - sinceNanos);
    changes.add(changed);
    if (changed > largest) {
      largest = changed;
    }
  }

  /** How long commits took. */
  Latency latency() {
    return latency.read();
  }

  /** Entries that they have changed, added or deleted. */
  long changes() {
    return changes.sum();
  }

  /** The most that one of them has. */
  long largest() {
    return largest;
  }
}
