package org.nyala.core.metrics;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.ResultCode;

/** The counters of a server's operations, from all event loops together. Thread-safe. */
public final class OperationMetrics {
  /** The result of operations that were abandoned, or whose client went away. */
  public static final String ABANDONED = "abandoned";

  private final List<OperationRecorder> recorders = new CopyOnWriteArrayList<>();
  private final ThreadLocal<OperationRecorder> recorder = ThreadLocal.withInitial(this::register);
  private final EnumMap<OperationType, LongAdder> started = new EnumMap<>(OperationType.class);
  private final SliceMetrics slices = new SliceMetrics();

  /** Creates counters that are all 0. */
  public OperationMetrics() {
    for (OperationType type : OperationType.values()) {
      started.put(type, new LongAdder());
    }
  }

  private OperationRecorder register() {
    OperationRecorder created = new OperationRecorder();
    recorders.add(created);
    return created;
  }

  /** Returns the recorder of the calling thread, to which no other thread writes. */
  public OperationRecorder recorder() {
    return recorder.get();
  }

  /** Returns the times for which operations hold their threads. */
  public SliceMetrics slices() {
    return slices;
  }

  /** A request has come that is carried out. Any thread. */
  public void started(OperationType type) {
    Objects.requireNonNull(started.get(type)).increment();
  }

  /** Returns the number of operations started. */
  public long startedCount(OperationType type) {
    return Objects.requireNonNull(started.get(type)).sum();
  }

  /**
   * Returns the number of operations that have ended, with any result; those without an answer end
   * at once.
   */
  public long completedCount(OperationType type) {
    if (type.isUnanswered()) {
      return startedCount(type);
    }
    long sum = 0;
    for (Latency latency : requests(type).values()) {
      sum += latency.count();
    }
    return sum;
  }

  /**
   * Returns the total durations of operations, by result; results that never occurred are left out.
   */
  public Map<String, Latency> requests(OperationType type) {
    Map<String, Latency> byResult = new LinkedHashMap<>();
    for (int outcome = 0; outcome < OperationRecorder.RESULTS; outcome++) {
      List<LatencyHistogram> found = new ArrayList<>();
      for (OperationRecorder each : recorders) {
        each.addResult(type, outcome, found);
      }
      if (!found.isEmpty()) {
        byResult.put(label(outcome), Latency.of(found));
      }
    }
    return byResult;
  }

  private static String label(int outcome) {
    ResultCode[] codes = ResultCode.values();
    return outcome < codes.length ? codes[outcome].label() : ABANDONED;
  }

  /** Returns the durations of a phase in the operations that went through it. */
  public Latency phase(OperationType type, Phase phase) {
    List<LatencyHistogram> found = new ArrayList<>();
    for (OperationRecorder each : recorders) {
      each.addPhase(type, phase, found);
    }
    return Latency.of(found);
  }
}
