package org.nyala.core.metrics;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.ResultCode;

/**
 * The counters of one event loop for the operations of its connections.
 *
 * <p>One thread writes, any thread reads. Hot: nothing is shared between writers, and a histogram
 * is made when it is needed first.
 */
@SuppressWarnings("EnumOrdinal") // The cell of a constant has no meaning elsewhere.
public final class OperationRecorder {
  static final int TYPES = OperationType.values().length;
  static final int PHASES = Phase.values().length;

  /** The number of result codes, plus one for operations without a result. */
  static final int RESULTS = ResultCode.values().length + 1;

  private static final int NO_RESULT = RESULTS - 1;

  private final Histograms results = new Histograms(TYPES * RESULTS);
  private final Histograms phases = new Histograms(TYPES * PHASES);

  OperationRecorder() {}

  /**
   * Records that an operation has ended. On the event loop.
   *
   * @param times its times; all phases are over
   * @param result its result; null if it was not answered
   */
  public void completed(OperationType type, OperationTimes times, @Nullable ResultCode result) {
    int kind = type.ordinal();
    int outcome = result == null ? NO_RESULT : result.ordinal();
    results.record(kind * RESULTS + outcome, times.totalNanos());
    int first = kind * PHASES;
    phases.record(first + Phase.EXECUTE.ordinal(), times.executeNanos);
    if (times.decodeNanos > 0) {
      phases.record(first + Phase.DECODE.ordinal(), times.decodeNanos);
    }
    if (times.queueNanos > 0) {
      phases.record(first + Phase.QUEUE.ordinal(), times.queueNanos);
    }
    if (times.writeNanos > 0) {
      phases.record(first + Phase.WRITE.ordinal(), times.writeNanos);
    }
    if (times.admissionNanos > 0) {
      phases.record(first + Phase.ADMISSION.ordinal(), times.admissionNanos);
    }
    if (times.hashNanos > 0) {
      phases.record(first + Phase.HASH.ordinal(), times.hashNanos);
    }
    if (times.commitNanos > 0) {
      phases.record(first + Phase.COMMIT.ordinal(), times.commitNanos);
    }
  }

  /** Adds the histogram of a kind and a result to a list, if there is one. Any thread. */
  void addResult(OperationType type, int outcome, List<LatencyHistogram> target) {
    results.addTo(target, type.ordinal() * RESULTS + outcome);
  }

  /** Adds the histogram of a kind and a phase to a list, if there is one. Any thread. */
  void addPhase(OperationType type, Phase phase, List<LatencyHistogram> target) {
    phases.addTo(target, type.ordinal() * PHASES + phase.ordinal());
  }
}
