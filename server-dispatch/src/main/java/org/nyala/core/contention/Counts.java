package org.nyala.core.contention;

import java.util.List;

/**
 * The counts of a measurement; sites without events are left out. Immutable.
 *
 * @param nanos the duration of the measurement, so far if it still runs
 * @param locks the locks, in the order of their making
 * @param waits the queues, in the order of their making
 */
public record Counts(long nanos, List<Lock> locks, List<Wait> waits) {
  public Counts {
    locks = List.copyOf(locks);
    waits = List.copyOf(waits);
  }

  /**
   * A lock.
   *
   * @param site its name
   * @param acquisitions the number of acquisitions
   * @param contended the number of these that had to wait
   * @param contendedNanos the sum of their waiting times
   * @param heldNanos the total time for which it was held
   */
  public record Lock(
      String site, long acquisitions, long contended, long contendedNanos, long heldNanos) {}

  /**
   * A queue.
   *
   * @param site its name
   * @param waits the number of items that waited and were served
   * @param signals the number of signals to sleeping servers of the queue
   * @param sleeps the number of times a server of the queue went to sleep for want of work
   * @param waitNanos the sum of the waiting times
   * @param longestNanos the longest of these waits
   */
  public record Wait(
      String site, long waits, long signals, long sleeps, long waitNanos, long longestNanos) {}
}
