package org.nyala.core.budget;

import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that the current thread has allocated in the heap since it began, garbage included. A
 * reading costs less than one of the clock, and allocates nothing.
 *
 * <p>Stateless. Virtual threads are not measured: the JVM counts for the threads that carry them,
 * each of which carries several in turn.
 */
public final class ThreadAllocation {
  /** The answer for threads that are not measured. */
  public static final long UNKNOWN = -1;

  private static final com.sun.management.@Nullable ThreadMXBean THREADS =
      ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads
              && threads.isThreadAllocatedMemorySupported()
          ? threads
          : null;

  private ThreadAllocation() {}

  /** Returns the bytes; {@link #UNKNOWN} on a virtual thread, or if the JVM does not count. */
  public static long bytes() {
    return THREADS == null ? UNKNOWN : THREADS.getCurrentThreadAllocatedBytes();
  }
}
