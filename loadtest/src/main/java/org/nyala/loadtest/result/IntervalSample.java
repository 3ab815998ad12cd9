package org.nyala.loadtest.result;

import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The results of one job in one interval of a test. Immutable.
 *
 * @param startSeconds its beginning, from the beginning of the measured period; negative while
 *     clients warm up
 * @param seconds its length
 * @param isWarmup true if it is before the measured period: its operations and errors are known, no
 *     times
 * @param operations operations that ended rightly
 * @param units entries of jobs that count these, else the operations
 * @param errorsByKind the errors by kind, as in a {@link LoadReport}
 * @param corrected times from the intended start
 * @param uncorrected times from the actual send
 * @param serverCpuNanos CPU time of the server in it; -1 if not known
 * @param clientCpuNanos CPU time of this process in it; -1 if not known
 * @param serverRssBytes memory of the server at its end; -1 if not known
 * @param disturbance the delays of the tester itself
 * @param pauses the pauses of the tester's garbage collector in it
 * @param busyCores the processors of this machine at work in it, on average; NaN if not known
 */
public record IntervalSample(
    double startSeconds,
    double seconds,
    boolean isWarmup,
    long operations,
    long units,
    Map<String, Long> errorsByKind,
    Times corrected,
    Times uncorrected,
    long serverCpuNanos,
    long clientCpuNanos,
    long serverRssBytes,
    Disturbance disturbance,
    GcPauses pauses,
    double busyCores) {

  /** Percentiles of an interval's operations in microseconds; all NaN if no operation ended. */
  public record Times(double p50Micros, double p99Micros, double p999Micros, double maxMicros) {
    public static final Times NONE = new Times(Double.NaN, Double.NaN, Double.NaN, Double.NaN);

    public static Times of(Histogram nanos) {
      return nanos.getTotalCount() == 0
          ? NONE
          : new Times(
              nanos.getValueAtPercentile(50) / 1e3,
              nanos.getValueAtPercentile(99) / 1e3,
              nanos.getValueAtPercentile(99.9) / 1e3,
              nanos.getMaxValue() / 1e3);
    }
  }

  public IntervalSample {
    errorsByKind = Map.copyOf(errorsByKind);
  }

  /** The number of errors, all kinds together. */
  public long errors() {
    return errorsByKind.values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * The processors that other processes than server and tester used, on average; NaN if not known.
   * Those of a server without {@code --server-pid} are among them.
   */
  public double othersCores() {
    double own = (Math.max(0, serverCpuNanos) + Math.max(0, clientCpuNanos)) / 1e9 / seconds;
    return Double.isNaN(busyCores) ? Double.NaN : Math.max(0, busyCores - own);
  }

  /** Units per second. */
  public double rate() {
    return units / seconds;
  }
}
