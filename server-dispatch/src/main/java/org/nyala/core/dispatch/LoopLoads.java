package org.nyala.core.dispatch;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The paces of all event loops, of each from its first operation on.
 *
 * <p>Thread-safe.
 */
final class LoopLoads {
  /** A loop that has had no long operation for so long has none. */
  static final long RECENT_NANOS = 100_000_000;

  private final int processors;
  private final LongSupplier nanoClock;
  private final Map<Thread, LoopLoad> paces = new ConcurrentHashMap<>();

  /**
   * Creates an object without loops.
   *
   * @param processors the number of processors
   * @param nanoClock the clock, in nanoseconds
   */
  LoopLoads(int processors, LongSupplier nanoClock) {
    this.processors = processors;
    this.nanoClock = nanoClock;
  }

  /**
   * Returns the load of the loop on whose thread this runs; callers keep it rather than calling
   * each time.
   */
  LoopLoad ofThread() {
    return paces.computeIfAbsent(
        Thread.currentThread(), _ -> new LoopLoad(this, nanoClock.getAsLong()));
  }

  /** Returns whether as many loops have long operations as there are processors. */
  boolean areBusy(long nowNanos) {
    int busy = 0;
    for (LoopLoad pace : paces.values()) {
      if (nowNanos - pace.lastLongNanos() < RECENT_NANOS) {
        busy++;
      }
    }
    return busy >= processors;
  }
}
