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
 * <p>Confined to the event loop, but for {@link #lastLongNanos}. Hot: among short operations two
 * looks at fields.
 */
final class LoopPace {
  /**
   * So many long operations of one connection in a row, with none of another's in between: it has
   * the loop to itself. Few, since the first that comes of another ends it.
   */
  static final int ALONE = 8;

  /**
   * So many long operations of whatever connections in a row, with no short one in between: all are
   * long. One short operation that comes then waits for one slice of each that is ready, so that
   * there should hardly ever be one: this makes it one in {@value} at most.
   */
  static final int ALL_LONG = 512;

  private final LoopPaces paces;
  private final AtomicLong lastLongNanos;
  private @Nullable LoopHistory lastLong;
  private int longOfLast;
  private int longOfAll;

  /**
   * Begins without operations.
   *
   * @param paces those of all loops
   * @param nowNanos the time
   */
  LoopPace(LoopPaces paces, long nowNanos) {
    this.paces = paces;
    this.lastLongNanos = new AtomicLong(nowNanos - LoopPaces.RECENT_NANOS);
  }

  /** Whether it is one of those. */
  boolean isAmong(LoopPaces others) {
    return paces == others;
  }

  /** An operation ended soon. */
  void wasShort(LoopHistory history) {
    if (longOfAll != 0) {
      longOfAll = 0;
    }
    if (longOfLast != 0 && history != lastLong) {
      longOfLast = 0;
    }
  }

  /**
   * An operation was long, or was kept from the loop because others of its connection were.
   *
   * @param history of its connection
   * @param isPipelined whether its client had asked for more, which could be done meanwhile
   * @param nowNanos the time
   */
  void wasLong(LoopHistory history, boolean isPipelined, long nowNanos) {
    longOfAll = Math.min(longOfAll + 1, ALL_LONG);
    longOfLast = history == lastLong && !isPipelined ? Math.min(longOfLast + 1, ALONE) : 0;
    lastLong = history;
    lastLongNanos.setOpaque(nowNanos);
  }

  /** Whether nobody gains by it that a long operation of that connection makes way. */
  boolean isUnhurried(LoopHistory history) {
    return longOfLast == ALONE && history == lastLong
        || longOfAll == ALL_LONG && paces.areBusy(lastLongNanos());
  }

  /** When there was a long operation for the last time. Any thread. */
  long lastLongNanos() {
    return lastLongNanos.getOpaque();
  }
}
