package org.nyala.core.dispatch;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How long the operations of one event loop took of late, and whose they were: whether there is
 * anybody for whom a long one should make way.
 *
 * <p>Making way costs the one that does it a change of threads and the way back. There is nobody
 * for whom it should while one connection has the loop to itself, or while all operations are long
 * and there is no processor that could take some of them.
 *
 * <p>Confined to the event loop, but for {@link #lastLongNanos}. Hot: among short operations four
 * looks at fields.
 */
final class LoopLoad {
  /**
   * So many long operations of one connection that follow a long one of its own, with none of
   * another's in between: it has the loop to itself. Few, since the first that comes of another
   * ends it.
   */
  static final int ALONE = 8;

  /**
   * No short operation that counts for so long: all are long. The next short one will wait for a
   * slice of each that is ready, so that whoever sends some now and then should find that he is
   * known; and it is soon enough for who reads a large directory page by page.
   */
  static final long ALL_LONG_NANOS = 500_000_000;

  /**
   * So many short operations of the loop, whoever sent them, from one exception that it grants to
   * the next. A connection needs the grant that has had too few operations for an exception of its
   * own. Clients that connect for each long operation have two milliseconds of the loop after so
   * many, besides the small budget of each.
   */
  static final int EXCEPTION_ONE_IN = 64;

  private final LoopLoads paces;
  private final AtomicLong lastLongNanos;
  private @Nullable ConnectionLoopHistory lastLong;
  private int longOfLast;
  private int shortSinceException;

  /**
   * Whether there was a short operation since the last long one, but for those of connections that
   * mostly have long ones.
   */
  private boolean hadShort;

  /** When there was a long operation for the first time after the last short one. */
  private long lastShortNanos;

  /**
   * Begins without operations.
   *
   * @param paces those of all loops
   * @param nowNanos the time
   */
  LoopLoad(LoopLoads paces, long nowNanos) {
    this.paces = paces;
    this.lastLongNanos = new AtomicLong(nowNanos - LoopLoads.RECENT_NANOS);
    this.lastShortNanos = nowNanos;
  }

  /** Whether it is one of those. */
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
   * An operation was long.
   *
   * @param history of its connection
   * @param isPipelined whether its client had asked for more, which could be done meanwhile
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
   * Whether an operation that was too long may be an exception although its connection is young;
   * counts those that are.
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

  /** Whether nobody gains by it that the operation makes way that was long now or kept away. */
  boolean isUnhurried(ConnectionLoopHistory history, long nowNanos) {
    return longOfLast == ALONE && history == lastLong
        || !hadShort && nowNanos - lastShortNanos >= ALL_LONG_NANOS && paces.areBusy(nowNanos);
  }

  /** When there was a long operation for the last time. Any thread. */
  long lastLongNanos() {
    return lastLongNanos.getOpaque();
  }
}
