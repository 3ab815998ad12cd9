package org.nyala.cli;

/**
 * The time that a write has waited, as somebody sees it who looks again and again: not that in
 * which nobody looked, as the process or the machine was stopped, and so was whoever reads.
 *
 * <p>Confined to one thread.
 */
final class StallClock {
  /** The state in which no write waits. */
  static final long IDLE = 0;

  /** Looks that are missed before it counts as a stop, and not as a busy machine. */
  private static final int MISSED_LOOKS = 4;

  private final long stallNanos;
  private final long lookNanos;
  private long lookedNanos;
  private long resumedNanos;

  /**
   * Starts at the present.
   *
   * @param stallNanos how long a write may wait
   * @param lookNanos the time between two looks
   * @param nowNanos the present, by the clock of all other times
   */
  StallClock(long stallNanos, long lookNanos, long nowNanos) {
    this.stallNanos = stallNanos;
    this.lookNanos = lookNanos;
    this.lookedNanos = nowNanos;
    this.resumedNanos = nowNanos;
  }

  /**
   * Looks whether a write has waited too long.
   *
   * @param begunNanos when it began, or {@link #IDLE}
   */
  boolean isOver(long begunNanos, long nowNanos) {
    if (nowNanos - lookedNanos > MISSED_LOOKS * lookNanos) {
      resumedNanos = nowNanos;
    }
    lookedNanos = nowNanos;
    if (begunNanos == IDLE) {
      return false;
    }
    return nowNanos - begunNanos > stallNanos && nowNanos - resumedNanos > stallNanos;
  }
}
