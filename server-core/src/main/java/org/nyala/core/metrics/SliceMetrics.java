package org.nyala.core.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.nyala.core.dispatch.SliceLocal;
import org.nyala.core.message.OperationType;

/**
 * The times for which operations hold their threads before they check for waiting ones, on all
 * threads together.
 *
 * <p>Thread-safe. Hot: a counting thread shares nothing with others.
 */
public final class SliceMetrics {
  private final List<SliceRecorder> recorders = new CopyOnWriteArrayList<>();
  private final SliceLocal<SliceRecorder> recorder = new SliceLocal<>(this::register);

  /** Creates counters that are all 0. */
  SliceMetrics() {}

  /** Takes that of a thread that has ended: each change of the strategy ends threads. */
  private synchronized SliceRecorder register() {
    Thread thread = Thread.currentThread();
    for (SliceRecorder each : recorders) {
      if (each.passesTo(thread)) {
        return each;
      }
    }
    SliceRecorder created = new SliceRecorder(thread);
    recorders.add(created);
    return created;
  }

  /** Notes the beginning of a slice; on the thread that runs it. */
  public void begins(long nowNanos) {
    recorder.get().begins(nowNanos);
  }

  /** Counts a slice that ends now; on the thread that ran it, within the slice. */
  public void took(OperationType type, long nowNanos, long nanos) {
    recorder.get().record(type, nowNanos, nanos);
  }

  /**
   * Returns the bytes that a slice has allocated in the heap until now, garbage included; 0 if it
   * is too short to be looked at, or runs on a virtual thread. On the thread that runs it, once.
   */
  public long allocated(long nowNanos, long nanos) {
    return nanos < SliceAllocation.SHORT_NANOS ? 0 : recorder.get().allocated(nowNanos, nanos);
  }

  /** Returns the durations of slices of one kind of operation. */
  public Latency times(OperationType type) {
    List<LatencyHistogram> found = new ArrayList<>();
    for (SliceRecorder each : recorders) {
      each.addTimes(type, found);
    }
    return Latency.of(found);
  }

  /**
   * Returns the maximum number of threads that counted at the same time, without virtual threads.
   */
  int threads() {
    return recorders.size();
  }

  /** The longest of one kind of operation since the last reset, in nanoseconds; 0 for none. */
  public long longestNanos(OperationType type) {
    long longest = 0;
    for (SliceRecorder each : recorders) {
      longest = Math.max(longest, each.longestNanos(type));
    }
    return longest;
  }

  /** The longest since the last reset, in nanoseconds; 0 for none. */
  public long longestNanos() {
    long longest = 0;
    for (OperationType type : OperationType.values()) {
      longest = Math.max(longest, longestNanos(type));
    }
    return longest;
  }

  /**
   * The longest in processor time since the last reset, in nanoseconds, too long by a millisecond
   * at most; 0 for none. Virtual threads have their duration instead.
   */
  public long longestProcessorNanos() {
    return recorders.stream().mapToLong(SliceRecorder::longestProcessorNanos).max().orElse(0);
  }

  /** Returns the same, and resets it. */
  public long takeLongestProcessorNanos() {
    return recorders.stream().mapToLong(SliceRecorder::takeLongestProcessorNanos).max().orElse(0);
  }

  /** Returns the longest slice since the last reset, in nanoseconds, and resets it. */
  public long takeLongestNanos() {
    long longest = 0;
    for (SliceRecorder each : recorders) {
      for (OperationType type : OperationType.values()) {
        longest = Math.max(longest, each.takeLongestNanos(type));
      }
    }
    return longest;
  }
}
