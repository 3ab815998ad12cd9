package org.nyala.core.dispatch;

/**
 * The decision whether the operations of a connection wait for the disk so often that they keep off
 * the event loops, where all other connections of the loop would wait with them.
 *
 * <p>Connections differ in it, because clients do: one looks up the same accounts all day, another
 * reads everything once. Each is judged by its own operations ({@link DiskWaits}). A new connection
 * is judged by the first few of all new ones as well, for some clients connect for each operation.
 *
 * <p>Thread-safe. Hot: a slice that is measured costs two readings of the clock and one of the
 * system's counters, two off the loops; of most connections only some slices are measured.
 */
final class DiskWatch {
  /** The shortest slice, in nanoseconds, that may have waited: a disk takes longer. */
  static final long LONG_NANOS = 100_000;

  private static final long ON_LOOP = -1;

  private final ThreadUsage usage;
  private final ThreadLocal<Slice> slices = ThreadLocal.withInitial(Slice::new);

  /** The waits of young connections together. */
  private final DiskWaits young = new DiskWaits(DiskWaits.MOST_MICROS_OF_YOUNG);

  /**
   * The slice that a thread is running. It outlives the watch in its thread, and refers to nothing.
   *
   * <p>Confined to the thread.
   */
  static final class Slice {
    private long startNanos;
    private long startFaults;
    private long startProcessorNanos;

    private long waitedNanos(ThreadUsage usage, long nowNanos) {
      long nanos = nowNanos - startNanos;
      if (nanos < LONG_NANOS || usage.majorFaults() <= startFaults) {
        return 0;
      }
      // On a loop a slice computes for a short time only.
      long computed =
          startProcessorNanos == ON_LOOP ? 0 : usage.processorNanos() - startProcessorNanos;
      return Math.max(nanos - computed, 1);
    }
  }

  /**
   * Creates an object without waits.
   *
   * @param usage the counters of threads
   */
  DiskWatch(ThreadUsage usage) {
    this.usage = usage;
  }

  /** Returns whether operations of a connection are to keep off the event loops. Any thread. */
  boolean keepsOff(ConnectionLoopHistory history) {
    return history.diskWaits().isAway() || young.isAway() && history.isYoung();
  }

  /**
   * Records the end of a slice.
   *
   * @param slice as it began, on this thread
   * @param history that of the connection
   * @param isEnd whether the operation has ended, or no more is to be computed for it
   * @return true if the slice waited for the disk
   */
  boolean ended(Slice slice, ConnectionLoopHistory history, long nowNanos, boolean isEnd) {
    long waitedNanos = slice.waitedNanos(usage, nowNanos);
    if (waitedNanos > 0 || isEnd) {
      record(history.diskWaits(), waitedNanos);
      if (history.growsOlder()) {
        record(young, waitedNanos);
      }
    }
    return waitedNanos > 0;
  }

  /** Returns whether every slice of a connection is to be measured. */
  boolean isClose(ConnectionLoopHistory history) {
    return history.isYoung() || !history.diskWaits().isClear();
  }

  /** Begins a slice on the event loop that calls this. */
  Slice beginOnLoop(long nowNanos) {
    return begin(nowNanos, ON_LOOP);
  }

  /** Begins a slice on another thread, which calls this. */
  Slice begin(long nowNanos) {
    return begin(nowNanos, usage.processorNanos());
  }

  private Slice begin(long nowNanos, long processorNanos) {
    Slice slice = slices.get();
    slice.startNanos = nowNanos;
    slice.startFaults = usage.majorFaults();
    slice.startProcessorNanos = processorNanos;
    return slice;
  }

  private static void record(DiskWaits waits, long waitedNanos) {
    if (waitedNanos > 0) {
      waits.waited(waitedNanos);
    } else {
      waits.didNotWait();
    }
  }
}
