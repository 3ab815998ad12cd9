package org.nyala.loadtest.result;

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
 * @param errors the number of errors, all kinds together
 * @param corrected times from the intended start
 * @param uncorrected times from the actual send
 * @param serverCpuNanos CPU time of the server in it; -1 if not known
 * @param clientCpuNanos CPU time of this process in it; -1 if not known
 * @param serverRssBytes memory of the server at its end; -1 if not known
 * @param disturbance the delays of the tester itself
 */
public record IntervalSample(
    double startSeconds,
    double seconds,
    boolean isWarmup,
    long operations,
    long units,
    long errors,
    Times corrected,
    Times uncorrected,
    long serverCpuNanos,
    long clientCpuNanos,
    long serverRssBytes,
    Disturbance disturbance) {

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

  /** Units per second. */
  public double rate() {
    return units / seconds;
  }
}
