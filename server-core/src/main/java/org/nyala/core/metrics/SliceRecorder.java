package org.nyala.core.metrics;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.nyala.core.message.OperationType;

/**
 * The slices that one thread has run, by the kind of their operations.
 *
 * <p>One thread writes, any thread reads and resets. Hot: nothing is shared between writers, and a
 * histogram is made when it is needed first.
 */
@SuppressWarnings("EnumOrdinal") // The cell of a constant has no meaning elsewhere.
final class SliceRecorder {
  private static final int TYPES = OperationType.values().length;

  private final Histograms times = new Histograms(TYPES);
  private final AtomicLongArray longest = new AtomicLongArray(TYPES);
  private final AtomicLong longestProcessor = new AtomicLong();
  private final ProcessorTime processorTime = new ProcessorTime();
  private final SliceAllocation allocation = new SliceAllocation();

  /** The thread that writes; changed only when the recorder is handed on. */
  private Thread writer;

  /** Creates one without anything in it, to be written by a thread. */
  SliceRecorder(Thread writer) {
    this.writer = writer;
  }

  /**
   * Passes the recorder to another thread, unless the previous one may still write: a virtual one
   * has passed it on to others by itself.
   */
  boolean passesTo(Thread next) {
    if (writer.isVirtual() || writer.isAlive()) {
      return false;
    }
    writer = next;
    processorTime.passesOn();
    allocation.passesOn();
    return true;
  }

  /** Notes the beginning of a slice. On the writing thread. */
  void begins(long nowNanos) {
    processorTime.begins(nowNanos);
    allocation.begins(nowNanos);
  }

  /** Returns the bytes that a slice has allocated until now. On the writing thread. */
  long allocated(long nowNanos, long nanos) {
    return allocation.ofSlice(nowNanos, nanos);
  }

  /** Counts a slice that ends now. On the writing thread. */
  void record(OperationType type, long nowNanos, long nanos) {
    int kind = type.ordinal();
    times.record(kind, nanos);
    // A reset that comes in between is of the moment before this slice.
    if (nanos > longest.getPlain(kind)) {
      longest.setOpaque(kind, nanos);
    }
    if (nanos > longestProcessor.getPlain()) {
      long processorNanos = processorTime.ofSlice(nowNanos, nanos);
      if (processorNanos > longestProcessor.getPlain()) {
        longestProcessor.setOpaque(processorNanos);
      }
    }
  }

  /** Adds the histogram of a kind to a list, if there is one. Any thread. */
  void addTimes(OperationType type, List<LatencyHistogram> target) {
    times.addTo(target, type.ordinal());
  }

  /** The longest of a kind since the last reset, in nanoseconds; 0 for none. Any thread. */
  long longestNanos(OperationType type) {
    return longest.getOpaque(type.ordinal());
  }

  /** The longest in processor time since the last reset, in nanoseconds; 0 for none. Any thread. */
  long longestProcessorNanos() {
    return longestProcessor.getOpaque();
  }

  /** Returns the same, and begins anew. Any thread. */
  long takeLongestProcessorNanos() {
    return longestProcessor.getAndSet(0);
  }

  /** Returns the longest of a kind, and begins anew. Any thread. */
  long takeLongestNanos(OperationType type) {
    return longest.getAndSet(type.ordinal(), 0);
  }
}
