package org.nyala.core.budget;

import java.util.concurrent.TimeUnit;

/**
 * The time between collections of the whole heap that are asked for: each is a pause. Together they
 * take a fiftieth of the time at most, and if they find the same again and again, one in a minute
 * has to do.
 *
 * <p>Confined to one thread, or guarded by its user.
 */
final class CollectionPace {
  private static final int PART_OF_TIME = 50;
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Live bytes that differ by less than this part of the heap are the same. */
  private static final int SAME_PART = 16;

  private long lastNanos;
  private long waitNanos;
  private long lastUsed;

  /** Begins with a collection that is due at once. */
  CollectionPace(long nowNanos) {
    lastNanos = nowNanos;
  }

  /** Returns whether another one may be asked for. */
  boolean isDue(long nowNanos) {
    return nowNanos - lastNanos >= waitNanos;
  }

  /**
   * Notes a collection that was asked for.
   *
   * @param nowNanos the time when it has ended
   * @param tookNanos its duration
   * @param used the bytes in use after it
   * @param maximum the bytes of the heap
   */
  void collected(long nowNanos, long tookNanos, long used, long maximum) {
    boolean isSame = Math.abs(used - lastUsed) < maximum / SAME_PART;
    long least = PART_OF_TIME * tookNanos;
    waitNanos = Math.min(LONGEST_NANOS, isSame ? Math.max(least, 2 * waitNanos) : least);
    lastNanos = nowNanos;
    lastUsed = used;
  }
}
