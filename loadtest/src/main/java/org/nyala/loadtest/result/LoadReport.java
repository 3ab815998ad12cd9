package org.nyala.loadtest.result;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Security;

/**
 * The results of a load test. Immutable.
 *
 * @param settings the settings of the test
 * @param seconds length of the measured period
 * @param operations operations that ended rightly in it; in an open loop those that should have
 *     begun in it
 * @param units entries of a scan or of pages in it; the operations for other jobs
 * @param throughput the time and the counts from which rates are computed
 * @param allOperations operations that ended rightly, before and after it included
 * @param errors the errors of the whole test, by kind, with their number: {@code resultCodeN},
 *     {@code wrongAnswer}, {@code malformedAnswer}, {@code connectionLost}, {@code interrupted} (an
 *     operation that was under way on a lost connection), {@code timedOut}, {@code notStarted},
 *     {@code unanswered}, {@code notReached}, {@code agentLost}
 * @param measuredFailed operations of the measured period that failed
 * @param corrected distribution of the operations' times in nanoseconds, from the intended start.
 *     Operations that got no answer (timed out, cut off, unanswered at the end, or of a schedule
 *     and never begun) are in it with the time they were waited for
 * @param uncorrected the same from the actual send; in a closed loop, which intends nothing before
 *     it sends, the same
 * @param cpuUnits the units by which CPU time is divided: those of this job, and those of jobs at
 *     the same time
 * @param resources the resources that server and client used in the measured period
 * @param intervals the measured period piece by piece; their operations add up to those here
 * @param kinds the kinds of operations of a mix or a replay; none for other jobs
 * @param wrongExample a wrong answer in words; empty if none was described
 * @param occurrences the numbers of all that was counted beside operations in the measured period
 * @param servers the results of each server, if there are several
 */
public record LoadReport(
    LoadSettings settings,
    double seconds,
    long operations,
    long units,
    Throughput throughput,
    long allOperations,
    Map<String, Long> errors,
    long measuredFailed,
    Histogram corrected,
    Histogram uncorrected,
    long cpuUnits,
    Resources resources,
    List<IntervalSample> intervals,
    List<KindReport> kinds,
    String wrongExample,
    Map<Occurrence, Long> occurrences,
    List<ServerReport> servers) {

  /** The beginning of the kind of an error by result code. */
  public static final String RESULT_CODE = "resultCode";

  /** The kind of an error of a host that loaded and whose figures are missing. */
  public static final String AGENT_LOST = "agentLost";

  /** The kinds of errors that are counted of connections; all other kinds are of operations. */
  private static final List<String> CONNECTION_KINDS =
      List.of("connectionLost", "malformedAnswer", LoadReport.AGENT_LOST);

  /** The figures of the measured period of a job that the coordinating thread has. Immutable. */
  public record Measured(
      double seconds,
      double workSeconds,
      Resources resources,
      Histogram corrected,
      Histogram uncorrected,
      List<IntervalSample> intervals) {}

  /**
   * Adds up the counts of the loops.
   *
   * @param usersLeft the number of users that should have been served but were not
   */
  public static LoadReport of(
      LoadSettings settings, Measured measured, List<LoopStatistics> loops, long usersLeft) {
    Map<String, Long> errors = new TreeMap<>();
    long operations = 0;
    long scanned = 0;
    long all = 0;
    long failed = 0;
    for (LoopStatistics loop : loops) {
      operations += loop.measured();
      scanned += loop.measuredUnits();
      all += loop.all();
      failed += loop.measuredFailed();
      loop.addErrors(errors);
    }
    LoopStatistics.count(errors, "notReached", usersLeft);
    long units = settings.job().countsEntries() ? scanned : operations;
    return new LoadReport(
        settings,
        measured.seconds(),
        operations,
        units,
        Throughput.of(settings, measured.workSeconds(), loops),
        all,
        errors,
        failed,
        measured.corrected(),
        measured.uncorrected(),
        units,
        measured.resources(),
        measured.intervals(),
        KindReport.of(settings, loops),
        loops.stream()
            .map(LoopStatistics::wrongExample)
            .filter(example -> !example.isEmpty())
            .findFirst()
            .orElse(""),
        occurrences(loops),
        ServerReport.of(settings, loops));
  }

  private static Map<Occurrence, Long> occurrences(List<LoopStatistics> loops) {
    Map<Occurrence, Long> sums = new EnumMap<>(Occurrence.class);
    for (Occurrence what : Occurrence.values()) {
      sums.put(what, loops.stream().mapToLong(loop -> loop.count(what)).sum());
    }
    return sums;
  }

  /** Returns how often something happened; empty if it cannot happen in this test. */
  public OptionalLong count(Occurrence what) {
    boolean isPossible =
        switch (what) {
          case FIRST_LOGIN -> !settings.loginKinds().isEmpty();
          case FOLLOWED_REFERRAL -> settings.options().rules().referralHops() > 0;
          case HANDSHAKE, RESUMED_HANDSHAKE -> settings.security().kind() != Security.Kind.NONE;
        };
    return isPossible ? OptionalLong.of(occurrences.getOrDefault(what, 0L)) : OptionalLong.empty();
  }

  /** The same report of one of several jobs at the same time, which had so many units in total. */
  public LoadReport besideOthers(long unitsOfAll) {
    return new LoadReport(
        settings,
        seconds,
        operations,
        units,
        throughput,
        allOperations,
        errors,
        measuredFailed,
        corrected,
        uncorrected,
        unitsOfAll,
        resources,
        intervals,
        kinds,
        wrongExample,
        occurrences,
        servers);
  }

  /** Returns the number of logins in the measured period; empty if nobody logs in. */
  public OptionalLong logins() {
    if (settings.loginKinds().isEmpty()) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(
        kinds.isEmpty()
            ? operations
            : kinds.stream()
                .filter(kind -> kind.job().logsIn())
                .mapToLong(KindReport::operations)
                .sum());
  }

  public long serverCpuNanos() {
    return resources.server().cpuNanos();
  }

  long clientCpuNanos() {
    return resources.client().cpuNanos();
  }

  /** The number of operations that ended with each result code other than success. */
  public Map<Integer, Long> errorsByResultCode() {
    Map<Integer, Long> codes = new TreeMap<>();
    errors.forEach(
        (kind, number) -> {
          if (kind.startsWith(RESULT_CODE)) {
            codes.put(Integer.valueOf(kind.substring(RESULT_CODE.length())), number);
          }
        });
    return codes;
  }

  /** Returns whether the tester itself was delayed too much for its times to be reliable. */
  public boolean isDisturbed() {
    return Disturbance.isTooOften(intervals);
  }

  /** Operations that were given up after the longest time to wait for an answer. */
  public long timeOuts() {
    return errors.getOrDefault("timedOut", 0L);
  }

  /**
   * Connections that the server closed, that could not be opened or that were given up; each once,
   * regardless of the number of attempts to open it again.
   */
  public long lostConnections() {
    return CONNECTION_KINDS.stream().mapToLong(kind -> errors.getOrDefault(kind, 0L)).sum();
  }

  /** Operations of the whole test that failed, whatever the reason. */
  public long failedOperations() {
    return errorCount() - lostConnections();
  }

  /** The part of the operations of the measured period that failed, 0 to 1; NaN of none. */
  public double failedShare() {
    return (double) measuredFailed / (operations + measuredFailed);
  }

  /** Operations that ended with success but not with the entries they must have found. */
  public long wrongAnswers() {
    return errors.getOrDefault("wrongAnswer", 0L);
  }

  /** The total number of errors, of operations and of connections. */
  public long errorCount() {
    return errors.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Operations, or entries of a scan, per second. */
  public double rate() {
    return throughput.rate();
  }

  /** CPU time of the server per operation or entry, in microseconds; NaN if not known. */
  public double serverCpuMicros() {
    return perUnit(serverCpuNanos());
  }

  /** CPU time of this process per operation or entry, in microseconds; NaN if not known. */
  public double clientCpuMicros() {
    return perUnit(clientCpuNanos());
  }

  private double perUnit(long nanos) {
    return nanos < 0 || cpuUnits == 0 ? Double.NaN : nanos / 1e3 / cpuUnits;
  }

  /** A percentile of the operations' times, in microseconds; NaN if no operation ended. */
  public double latencyMicros(double percentile) {
    return corrected.getTotalCount() == 0
        ? Double.NaN
        : corrected.getValueAtPercentile(percentile) / 1e3;
  }
}
