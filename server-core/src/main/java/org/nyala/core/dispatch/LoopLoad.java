package org.nyala.core.dispatch;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The recent operations of one event loop, by length and connection: they decide whether a long one
 * should make way for another connection.
 *
 * <p>Making way costs a change of threads in each direction. It helps no connection while one has
 * the loop to itself, or while all operations are long and there is no idle processor to take some
 * of them.
 *
 * <p>Confined to the event loop, but for {@link #lastLongNanos}. Hot: among short operations four
 * reads of fields.
 */
final class LoopLoad {
  /**
   * The number of long operations of one connection that follow a long one of its own, with none of
   * another's in between, from which it has the loop to itself. Few, since the first one of another
   * connection ends this.
   */
  static final int ALONE = 8;

  /**
   * The time without a short operation that counts after which all are long. The next short one
   * will wait for a slice of each that is ready, so occasional short requests must still be
   * recognised; and it is soon enough for a client that reads a large directory page by page.
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
  private @Nullable ConnectionLoopHistory lastLong;
  private int longOfLast;
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

  /** Returns whether this loop is one of the given ones. */
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
    if (longOfLast != 0 && history != lastLong) {
      longOfLast = 0;
    }
  }

  /**
   * Records a long operation.
   *
   * @param history the history of its connection
   * @param isPipelined true if its client had sent further requests, which could be done meanwhile
   * @param nowNanos the time
   */
  void wasLong(ConnectionLoopHistory history, boolean isPipelined, long nowNanos) {
    if (hadShort) {
      hadShort = false;
      lastShortNanos = nowNanos;
    }
    history.wasLong();
    wasKeptAway(history, isPipelined);
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

  /** An operation was long, or kept from the loop because others of its connection were. */
  void wasKeptAway(ConnectionLoopHistory history, boolean isPipelined) {
    longOfLast = history == lastLong && !isPipelined ? Math.min(longOfLast + 1, ALONE) : 0;
    lastLong = history;
  }

  /** Returns whether no connection benefits if the long operation makes way or is kept away. */
  boolean isUnhurried(ConnectionLoopHistory history, long nowNanos) {
    return longOfLast == ALONE && history == lastLong
        || !hadShort && nowNanos - lastShortNanos >= ALL_LONG_NANOS && paces.areBusy(nowNanos);
  }

  /** Returns the time of the last long operation. Any thread. */
  long lastLongNanos() {
    return lastLongNanos.getOpaque();
  }
}
