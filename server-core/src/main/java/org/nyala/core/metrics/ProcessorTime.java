package org.nyala.core.metrics;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;

/**
 * The processor time that the slices of one thread take at most, which is known to a millisecond:
 * it is read from the operating system only now and then.
 *
 * <p>Confined to one thread.
 */
final class ProcessorTime {
  /** Shorter slices are not looked at, and a reading that is not older serves for the next one. */
  static final long RESOLUTION_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private long readNanos;
  private long processorNanos;
  private boolean isRead;

  /** Notes the beginning of a slice, on the thread that runs it. */
  void begins(long nowNanos) {
    if (!isRead || nowNanos - readNanos >= RESOLUTION_NANOS) {
      read(nowNanos);
    }
  }

  /**
   * The processor time of a slice that ends now, too long by a millisecond at most; its duration if
   * the thread's processor time is unknown.
   *
   * @param nanos its duration, which is the result if it is shorter than the resolution
   */
  long ofSlice(long nowNanos, long nanos) {
    if (nanos < RESOLUTION_NANOS || !isRead) {
      return nanos;
    }
    long before = processorNanos;
    read(nowNanos);
    return isRead ? Math.min(nanos, processorNanos - before) : nanos;
  }

  /** Forgets the processor time of the thread before; it goes to another one. */
  void passesOn() {
    isRead = false;
  }

  private void read(long nowNanos) {
    isRead = THREADS.isCurrentThreadCpuTimeSupported() && !Thread.currentThread().isVirtual();
    if (isRead) {
      processorNanos = THREADS.getCurrentThreadCpuTime();
      readNanos = nowNanos;
    }
  }
}
