package org.nyala.core.contention;

import java.util.List;

/**
 * What a measurement has counted; sites where nothing happened are left out. Immutable.
 *
 * @param nanos how long it took, or has taken so far
 * @param locks the locks, in the order of their making
 * @param waits the queues, in the order of their making
 */
public record Counts(long nanos, List<Lock> locks, List<Wait> waits) {
  /** Copies the lists. */
  public Counts {
    locks = List.copyOf(locks);
    waits = List.copyOf(waits);
  }

  /**
   * A lock.
   *
   * @param site its name
   * @param acquisitions how often it was taken
   * @param contended how many of these had to wait
   * @param contendedNanos how long they waited, together
   * @param heldNanos how long it was held, together
   */
  public record Lock(
      String site, long acquisitions, long contended, long contendedNanos, long heldNanos) {}

  /**
   * A queue.
   *
   * @param site its name
   * @param waits how many waited and were served
   * @param signals how often somebody who slept was signalled to serve
   * @param sleeps how often somebody who serves went to sleep, for want of work
   * @param waitNanos how long those waited, together
   * @param longestNanos the longest of these waits
   */
  public record Wait(
      String site, long waits, long signals, long sleeps, long waitNanos, long longestNanos) {}
}
