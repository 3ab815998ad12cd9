package org.nyala.loadtest;

import org.HdrHistogram.Histogram;

/**
 * What the clients of one event loop counted. Confined to the channel's event loop while the test
 * runs; read by the coordinating thread once the loop has stopped.
 */
final class LoopStatistics {
  private static final long MAX_LATENCY_NANOS = 600_000_000_000L;
  private static final int RESULT_CODES = 256;

  private final Histogram latencies = new Histogram(MAX_LATENCY_NANOS, 3);
  private final long[] failures = new long[RESULT_CODES];
  private long startNanos;
  private long endNanos;
  private long measured;
  private long measuredUnits;
  private long all;
  private long wrongAnswers;
  private long malformed;
  private long lost;
  private long unanswered;

  /** Sets the measured period, on the clock of {@link System#nanoTime()}. */
  void measureBetween(long start, long end) {
    startNanos = start;
    endNanos = end;
  }

  /** Whether the measured period is over. */
  boolean isOver(long nowNanos) {
    return nowNanos - endNanos >= 0;
  }

  /** Counts an operation that ended rightly. */
  void completed(long startedNanos, long nowNanos) {
    all++;
    if (isMeasured(nowNanos)) {
      measured++;
      latencies.recordValue(Math.clamp(nowNanos - startedNanos, 0, MAX_LATENCY_NANOS));
    }
  }

  /** Counts units of work of a job whose unit is not the operation. */
  void units(int count, long nowNanos) {
    if (isMeasured(nowNanos)) {
      measuredUnits += count;
    }
  }

  private boolean isMeasured(long nowNanos) {
    return nowNanos - startNanos >= 0 && nowNanos - endNanos < 0;
  }

  /** Counts an operation that ended with another result code than success. */
  void failed(int resultCode) {
    failures[resultCode]++;
  }

  /** Counts an operation that ended with success but not with the right entries. */
  void wrongAnswer() {
    wrongAnswers++;
  }

  /** Counts bytes that are not an answer to the request. */
  void malformed() {
    malformed++;
  }

  /** Counts a connection that could not be opened or ended by itself. */
  void lost() {
    lost++;
  }

  /** Counts an operation without an answer at the end of the test. */
  void unanswered() {
    unanswered++;
  }

  /** Moves the latencies counted so far to {@code sum}. */
  void moveLatencies(Histogram sum) {
    sum.add(latencies);
    latencies.reset();
  }

  /** How many operations did not end rightly. */
  long errors() {
    long sum = wrongAnswers + malformed + lost + unanswered;
    for (long failed : failures) {
      sum += failed;
    }
    return sum;
  }

  Histogram latencies() {
    return latencies;
  }

  long failures(int resultCode) {
    return failures[resultCode];
  }

  long measured() {
    return measured;
  }

  long measuredUnits() {
    return measuredUnits;
  }

  long all() {
    return all;
  }

  long wrongAnswers() {
    return wrongAnswers;
  }

  long malformedAnswers() {
    return malformed;
  }

  long lostConnections() {
    return lost;
  }

  long unansweredRequests() {
    return unanswered;
  }
}
