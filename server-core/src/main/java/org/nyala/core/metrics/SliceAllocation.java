package org.nyala.core.metrics;

import java.util.concurrent.TimeUnit;
import org.nyala.core.budget.ThreadAllocation;

/**
 * The heap memory that the slices of one thread allocate, too much by the allocations of a tenth of
 * a millisecond at most: the counter of the JVM is read only now and then.
 *
 * <p>Confined to one thread.
 */
final class SliceAllocation {
  /**
   * A reading that is not older serves for the next slice. In a millisecond a fast machine
   * allocates more than a slice may, in short slices that are not measured.
   */
  static final long RESOLUTION_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  /** Shorter slices have no time to allocate much, and cost nothing here. */
  static final long SHORT_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private long readNanos;
  private long bytes = ThreadAllocation.UNKNOWN;

  /** Notes the beginning of a slice, on the thread that runs it. */
  void begins(long nowNanos) {
    if (bytes < 0 || nowNanos - readNanos >= RESOLUTION_NANOS) {
      read(nowNanos);
    }
  }

  /**
   * Returns the bytes that a slice has allocated until now; 0 if it is short or the thread is not
   * measured.
   *
   * @param nanos its duration
   */
  long ofSlice(long nowNanos, long nanos) {
    long before = bytes;
    if (nanos < SHORT_NANOS || before < 0) {
      return 0;
    }
    read(nowNanos);
    return bytes < 0 ? 0 : bytes - before;
  }

  /** Forgets the thread before; it goes to another one. */
  void passesOn() {
    bytes = ThreadAllocation.UNKNOWN;
  }

  private void read(long nowNanos) {
    bytes = ThreadAllocation.bytes();
    readNanos = nowNanos;
  }
}
