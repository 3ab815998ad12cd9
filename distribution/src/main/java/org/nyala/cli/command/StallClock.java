package org.nyala.cli.command;

/**
 * Measures how long a write has waited, with periodic checks. Time without checks does not count:
 * the process or the machine was suspended then, and the reader with it.
 *
 * <p>Confined to one thread.
 */
final class StallClock {
  /** The state without a waiting write. */
  static final long IDLE = 0;

  /** The number of missed checks that counts as a suspension and not as a busy machine. */
  private static final int MISSED_LOOKS = 4;

  private final long stallNanos;
  private final long lookNanos;
  private long lookedNanos;
  private long resumedNanos;

  /**
   * Starts at the present.
   *
   * @param stallNanos the time that a write may wait
   * @param lookNanos the time between two checks
   * @param nowNanos the present, by the clock of all other times
   */
  StallClock(long stallNanos, long lookNanos, long nowNanos) {
    this.stallNanos = stallNanos;
    this.lookNanos = lookNanos;
    this.lookedNanos = nowNanos;
    this.resumedNanos = nowNanos;
  }

  /**
   * Returns whether a write has waited too long.
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
