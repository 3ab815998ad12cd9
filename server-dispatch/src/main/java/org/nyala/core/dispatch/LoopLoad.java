package org.nyala.core.dispatch;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The recent operations of one event loop, by length: they decide whether a long one should make
 * way for others.
 *
 * <p>Making way costs a change of threads in each direction. It helps no connection while all
 * operations are long and there is no idle processor to take some of them.
 *
 * <p>Confined to the event loop, but for {@link #lastLongNanos}. Hot: among short operations four
 * reads of fields.
 */
final class LoopLoad {
  /**
   * The time without a short operation that counts after which all are long. The next short one
   * will wait for a slice of each that is ready, so occasional short requests must still be
   * recognised; and it is soon enough for a client that reads a long list part by part.
   */
  static final long ALL_LONG_NANOS = 500_000_000;

  /**
   * The number of short operations of the loop, of any connections, between two exceptions that it
   * grants. The grant is for connections with too few operations for an exception of their own.
   * Clients that connect for each long operation have two milliseconds of the loop once in this
   * number, besides the small budget of each.
   */
  static final int EXCEPTION_ONE_IN = 64;

  private final LoopLoads paces;
  private final AtomicLong lastLongNanos;
  private int shortSinceException;

  /**
   * True if there was a short operation since the last long one, not counting connections that
   * mostly have long ones.
   */
  private boolean hadShort;

  /** The time of the first long operation after the last short one. */
  private long lastShortNanos;

  /**
   * Creates an object without operations.
   *
   * @param paces the loads of all loops
   * @param nowNanos the time
   */
  LoopLoad(LoopLoads paces, long nowNanos) {
    this.paces = paces;
    this.lastLongNanos = new AtomicLong(nowNanos - LoopLoads.RECENT_NANOS);
    this.lastShortNanos = nowNanos;
  }

  boolean isAmong(LoopLoads others) {
    return paces == others;
  }

  /** An operation ended soon. */
  void wasShort(ConnectionLoopHistory history) {
    if (shortSinceException < EXCEPTION_ONE_IN) {
      shortSinceException++;
    }
    if (history.wasShort() && !hadShort) {
      hadShort = true;
    }
  }

  /**
   * Records a long operation.
   *
   * @param history the history of its connection
   * @param nowNanos the time
   */
  void wasLong(ConnectionLoopHistory history, long nowNanos) {
    if (hadShort) {
      hadShort = false;
      lastShortNanos = nowNanos;
    }
    history.wasLong();
    lastLongNanos.setOpaque(nowNanos);
  }

  /**
   * Returns whether an operation that was too long may be an exception although its connection is
   * young; counts those that are.
   */
  boolean grantsException() {
    boolean grants = shortSinceException == EXCEPTION_ONE_IN;
    if (grants) {
      shortSinceException = 0;
    }
    return grants;
  }

  /** Returns whether all are long, so that no connection benefits if one of them makes way. */
  boolean isUnhurried(long nowNanos) {
    return !hadShort && nowNanos - lastShortNanos >= ALL_LONG_NANOS && paces.areBusy(nowNanos);
  }

  /** Returns the time of the last long operation. Any thread. */
  long lastLongNanos() {
    return lastLongNanos.getOpaque();
  }
}
