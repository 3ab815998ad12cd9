package org.nyala.loadtest.result;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.workload.JobKind;

/**
 * The counts of the clients of one event loop for one job. Confined to the channel's event loop
 * while the test runs; read by the coordinating thread once the loop has stopped.
 *
 * <p>Every time is counted twice: from the intended start of the operation (corrected: a server
 * that stalls makes everything late that should have begun meanwhile) and from its actual send. In
 * a closed loop they are the same, and kept once.
 */
public final class LoopStatistics {
  public static final long MAX_LATENCY_NANOS = 600_000_000_000L;

  private final Histogram corrected = new Histogram(MAX_LATENCY_NANOS, 3);
  private final Histogram uncorrected;
  private final boolean isScheduled;
  private final @Nullable LoopStatistics whole;
  private final Map<JobKind, LoopStatistics> kinds = new EnumMap<>(JobKind.class);
  private final SortedMap<Integer, Long> failures = new TreeMap<>();
  private final Map<Occurrence, AtomicLong> occurrences = new EnumMap<>(Occurrence.class);
  private long[] measuredByServer = new long[1];
  private long[] failedByServer = new long[1];
  private long[] lostByServer = new long[1];
  private long startNanos;
  private long endNanos;
  private long measured;
  private long measuredInTime;
  private long lastNanos;
  private long measuredUnits;
  private long measuredFailed;
  private long all;
  private long allUnits;
  private long wrongAnswers;
  private String wrongExample = "";
  private long malformed;
  private long lost;
  private long timedOut;
  private long notStarted;
  private long interrupted;
  private long unanswered;

  /**
   * Begins to count.
   *
   * @param isScheduled true if operations have an intended start of their own: an open loop, whose
   *     operations belong to the measured period if they should have begun in it
   */
  public LoopStatistics(boolean isScheduled) {
    this(isScheduled, null);
  }

  private LoopStatistics(boolean isScheduled, @Nullable LoopStatistics whole) {
    this.isScheduled = isScheduled;
    this.whole = whole;
    this.uncorrected = isScheduled ? new Histogram(MAX_LATENCY_NANOS, 3) : corrected;
  }

  /** The counts of one kind of operations of a mix; they are counted here as well. */
  public LoopStatistics ofKind(JobKind kind) {
    return kinds.computeIfAbsent(kind, _ -> new LoopStatistics(isScheduled, this));
  }

  /** The kinds counted so far, in the order of the jobs. */
  Map<JobKind, LoopStatistics> kinds() {
    return Collections.unmodifiableMap(kinds);
  }

  /** Sets the measured period, on the clock of {@link System#nanoTime()}. */
  public void measureBetween(long start, long end) {
    startNanos = start;
    endNanos = end;
    kinds.values().forEach(kind -> kind.measureBetween(start, end));
  }

  /** Returns whether the measured period is over. */
  public boolean isOver(long nowNanos) {
    return nowNanos - endNanos >= 0;
  }

  /** The time at which the measured period begins. */
  public long startNanos() {
    return startNanos;
  }

  /** The time at which the measured period ends. */
  public long endNanos() {
    return endNanos;
  }

  /** Counts an operation that ended rightly. */
  public void completed(long intendedNanos, long sentNanos, long nowNanos) {
    if (whole != null) {
      whole.completed(intendedNanos, sentNanos, nowNanos);
    }
    all++;
    if (isMeasured(intendedNanos, nowNanos)) {
      measured++;
      measuredInTime += nowNanos - endNanos < 0 ? 1 : 0;
      lastNanos = measured == 1 ? nowNanos : Math.max(lastNanos, nowNanos);
      record(intendedNanos, sentNanos, nowNanos);
    }
  }

  /** Counts an operation that ended rightly for one of several servers. */
  public void completedOf(int server, long intendedNanos, long nowNanos) {
    if (isMeasured(intendedNanos, nowNanos)) {
      measuredByServer = counted(measuredByServer, server);
    }
  }

  /** Counts an operation that failed, whatever the reason, for one of several servers. */
  public void failedOf(int server, boolean isConnection) {
    if (isConnection) {
      lostByServer = counted(lostByServer, server);
    } else {
      failedByServer = counted(failedByServer, server);
    }
  }

  private static long[] counted(long[] counts, int server) {
    long[] wide = server < counts.length ? counts : Arrays.copyOf(counts, server + 1);
    wide[server]++;
    return wide;
  }

  long measuredOf(int server) {
    return server < measuredByServer.length ? measuredByServer[server] : 0;
  }

  long failedOf(int server) {
    return server < failedByServer.length ? failedByServer[server] : 0;
  }

  /** The connections to a server that were lost or given up. */
  long lostOf(int server) {
    return server < lostByServer.length ? lostByServer[server] : 0;
  }

  /** Counts something that happens in an operation, or beside operations. */
  public void occurred(Occurrence what, long intendedNanos, long nowNanos) {
    if (whole != null) {
      whole.occurred(what, intendedNanos, nowNanos);
    }
    if (isMeasured(intendedNanos, nowNanos)) {
      occurrences.computeIfAbsent(what, _ -> new AtomicLong()).getAndIncrement();
    }
  }

  /** The occurrences in the measured period. */
  long count(Occurrence what) {
    AtomicLong counted = occurrences.get(what);
    return counted == null ? 0 : counted.get();
  }

  private boolean isMeasured(long intendedNanos, long nowNanos) {
    return isMeasured(isScheduled ? intendedNanos : nowNanos);
  }

  private void record(long intendedNanos, long sentNanos, long nowNanos) {
    corrected.recordValue(Math.clamp(nowNanos - intendedNanos, 0, MAX_LATENCY_NANOS));
    if (isScheduled) {
      uncorrected.recordValue(Math.clamp(nowNanos - sentNanos, 0, MAX_LATENCY_NANOS));
    }
  }

  /** Counts units of work of a job whose unit is not the operation. */
  public void units(int count, long nowNanos) {
    if (whole != null) {
      whole.units(count, nowNanos);
    }
    allUnits += count;
    if (isMeasured(nowNanos)) {
      measuredUnits += count;
    }
  }

  private boolean isMeasured(long nanos) {
    return nanos - startNanos >= 0 && nanos - endNanos < 0;
  }

  /** Counts an operation that ended with a result code other than success. */
  public void failed(int resultCode, long intendedNanos, long nowNanos) {
    if (whole != null) {
      whole.failed(resultCode, intendedNanos, nowNanos);
    }
    failures.merge(resultCode, 1L, Long::sum);
    countFailed(isMeasured(intendedNanos, nowNanos));
  }

  private void countFailed(boolean isMeasured) {
    measuredFailed += isMeasured ? 1 : 0;
  }

  /** Counts a connection on which the server refused a request of the set-up. */
  public void refused(int resultCode) {
    failures.merge(resultCode, 1L, Long::sum);
  }

  /** Counts an operation that ended with success but not with the right entries. */
  public void wrongAnswer(long intendedNanos, long nowNanos) {
    if (whole != null) {
      whole.wrongAnswer(intendedNanos, nowNanos);
    }
    wrongAnswers++;
    countFailed(isMeasured(intendedNanos, nowNanos));
  }

  /** Returns whether a description of a wrong answer is wanted: one is enough. */
  public boolean wantsExample() {
    return wrongExample.isEmpty();
  }

  /** Keeps the description of a wrong answer. */
  public void example(String description) {
    wrongExample = description;
    if (whole != null && whole.wantsExample()) {
      whole.example(description);
    }
  }

  /** Returns the description of a wrong answer; empty for none. */
  String wrongExample() {
    return wrongExample;
  }

  /** Counts a connection that was given up because it received bytes that were no answer. */
  public void malformed() {
    malformed++;
  }

  /** Counts a connection that ended by itself or could not be opened, until it is open again. */
  public void lost() {
    lost++;
  }

  /** Counts an operation that was given up after the longest time to wait. */
  public void timedOut() {
    if (whole != null) {
      whole.timedOut();
    }
    timedOut++;
  }

  /**
   * Counts the time of an operation that is not waited for any longer, whatever the reason: left
   * out, it would make the server that never answers the fastest one. In a closed loop such an
   * operation belongs to the measured period if it was under way in it.
   */
  public void waited(long intendedNanos, long sentNanos, long nowNanos) {
    if (whole != null) {
      whole.waited(intendedNanos, sentNanos, nowNanos);
    }
    boolean isUnderWay = nowNanos - startNanos >= 0 && sentNanos - endNanos < 0;
    if (isScheduled ? isMeasured(intendedNanos) : isUnderWay) {
      measuredFailed++;
      record(intendedNanos, sentNanos, nowNanos);
    }
  }

  /**
   * Counts operations of the schedule that never began because no client was free. They have waited
   * until now at least, and were never sent.
   */
  public void notStarted(long intendedNanos, long nowNanos, long count) {
    notStarted += count;
    if (isMeasured(intendedNanos)) {
      measuredFailed += count;
      corrected.recordValueWithCount(
          Math.clamp(nowNanos - intendedNanos, 0, MAX_LATENCY_NANOS), count);
    }
  }

  /** Counts an operation that was under way on a connection that ended. */
  public void interrupted() {
    if (whole != null) {
      whole.interrupted();
    }
    interrupted++;
  }

  /** Counts an operation without an answer at the end of the test. */
  public void unanswered() {
    if (whole != null) {
      whole.unanswered();
    }
    unanswered++;
  }

  /** Moves the times counted so far to {@code sum}. */
  public void moveLatencies(Histogram sum) {
    sum.add(corrected);
    reset();
  }

  /** Moves the times counted so far to these; both are the same in a closed loop. */
  public void moveLatencies(Histogram correctedSum, Histogram uncorrectedSum) {
    correctedSum.add(corrected);
    if (isScheduled) {
      uncorrectedSum.add(uncorrected);
    }
    reset();
  }

  private void reset() {
    corrected.reset();
    uncorrected.reset();
  }

  public boolean isScheduled() {
    return isScheduled;
  }

  /** The number of failed operations of the measured period. */
  long measuredFailed() {
    return measuredFailed;
  }

  /** The total number of errors, of operations and of connections. */
  public long errors() {
    long sum = wrongAnswers + malformed + lost + timedOut + notStarted + interrupted + unanswered;
    for (long failed : failures.values()) {
      sum += failed;
    }
    return sum;
  }

  /** Adds the errors that were counted, by their kinds. */
  public void addErrors(Map<String, Long> errors) {
    failures.forEach((code, number) -> count(errors, LoadReport.RESULT_CODE + code, number));
    count(errors, "wrongAnswer", wrongAnswers);
    count(errors, "malformedAnswer", malformed);
    count(errors, "connectionLost", lost);
    count(errors, "timedOut", timedOut);
    count(errors, "notStarted", notStarted);
    count(errors, "interrupted", interrupted);
    count(errors, "unanswered", unanswered);
  }

  static void count(Map<String, Long> errors, String kind, long number) {
    if (number > 0) {
      errors.merge(kind, number, Long::sum);
    }
  }

  public long measured() {
    return measured;
  }

  /** Operations of the measured period that ended in it too. */
  long measuredInTime() {
    return measuredInTime;
  }

  /**
   * The time at which the last operation of the measured period ended rightly; its start if none
   * did.
   */
  public long lastNanos() {
    return measured == 0 ? startNanos : lastNanos;
  }

  public long measuredUnits() {
    return measuredUnits;
  }

  public long all() {
    return all;
  }

  public long allUnits() {
    return allUnits;
  }
}
