package org.nyala.core.dispatch;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The decision whether operations of one class start on an event loop: they do unless their slices
 * there prove slow.
 *
 * <p>Thread-safe. Hot: a slice that takes about as long as those before it causes reads only.
 */
final class ClassDemotion {
  /*
   * A moving average. A slice may overrun its budget, because candidates are examined between two
   * readings of the clock and any of them may wait for the disk: an average beyond twice the budget
   * means that this happens as a rule. Updates race, and one that is lost costs nothing; steps too
   * small to matter are not written, so that loops do not fight over the cache line.
   */

  /** The average slice on the loop, in nanoseconds, beyond which the class leaves the loops. */
  static final long SLOW_NANOS = 400_000;

  /** The time for which it stays away: long enough to warm a cache, short enough to be harmless. */
  static final long DEMOTION_NANOS = 1_000_000_000;

  /**
   * The average slice, in nanoseconds, below which it is enough to time one now and then: far from
   * slow, and not reached by slices of usual length. One slow slice exceeds it.
   */
  private static final long SETTLED_NANOS = SLOW_NANOS / 8;

  /** A sample counts one in 2 to the power of this. */
  private static final int WEIGHT_SHIFT = 4;

  /** Steps of the average that are not worth a write. */
  private static final long NEGLIGIBLE_NANOS = 500;

  /**
   * No single sample counts for more: threads that lose their processors, as they do on a full
   * machine with one slice in ten, are not a slow disk. If a third of the slices are as long as
   * this, the average passes the bound after some hundreds of them.
   */
  private static final long LONGEST_SAMPLE_NANOS = 2 * SLOW_NANOS;

  private final AtomicLong averageNanos = new AtomicLong();
  private volatile boolean demoted;
  private long demotedAtNanos;
  private long demotions;

  /**
   * Returns whether a task of this class may start on the loop now; reads the clock only if in
   * doubt.
   */
  boolean isLoopWorthy(LongSupplier nanoClock) {
    return !demoted || readmitted(nanoClock.getAsLong());
  }

  /** Returns whether recent slices were so short that not each of them needs to be timed. */
  boolean isSettled() {
    return averageNanos.getOpaque() < SETTLED_NANOS;
  }

  /** The class comes back on probation: halfway to being sent away again. */
  private synchronized boolean readmitted(long nowNanos) {
    if (demoted) {
      if (nowNanos - demotedAtNanos < DEMOTION_NANOS) {
        return false;
      }
      averageNanos.set(SLOW_NANOS / 2);
      demoted = false;
    }
    return true;
  }

  /** Returns how many times the class was sent away from the loops. */
  synchronized long demotions() {
    return demotions;
  }

  /** Records the duration of a slice on the loop. */
  void sliceTook(long nanos, long nowNanos) {
    long average = averageNanos.getOpaque();
    long step = (Math.min(nanos, LONGEST_SAMPLE_NANOS) - average) >> WEIGHT_SHIFT;
    if (Math.abs(step) < NEGLIGIBLE_NANOS) {
      return;
    }
    averageNanos.setOpaque(average + step);
    if (average + step > SLOW_NANOS) {
      demote(nowNanos);
    }
  }

  private synchronized void demote(long nowNanos) {
    demotions += demoted ? 0 : 1;
    demotedAtNanos = nowNanos;
    demoted = true;
  }
}
