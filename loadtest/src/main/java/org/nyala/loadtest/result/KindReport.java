package org.nyala.loadtest.result;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * The results of the operations of one kind in a mix. Immutable.
 *
 * @param job the kind
 * @param operations operations that ended rightly in the measured period
 * @param units entries of a scan or of pages in it; the operations for other jobs
 * @param ratedUnits those of them that make the rate, see {@link Throughput}
 * @param errors their errors in the whole test, as in a {@link LoadReport}; an error of a
 *     connection rather than of an operation is only there
 * @param corrected distribution of their times in nanoseconds, from the intended start
 * @param uncorrected the same from the actual send
 */
public record KindReport(
    JobKind job,
    long operations,
    long units,
    long ratedUnits,
    Map<String, Long> errors,
    Histogram corrected,
    Histogram uncorrected) {

  /** The kinds of a mix, in the order of the jobs, each summed up over the loops. */
  static List<KindReport> of(LoadSettings settings, List<LoopStatistics> loops) {
    Map<JobKind, List<LoopStatistics>> byKind = new EnumMap<>(JobKind.class);
    for (LoopStatistics loop : loops) {
      loop.kinds()
          .forEach((kind, part) -> byKind.computeIfAbsent(kind, _ -> new ArrayList<>()).add(part));
    }
    List<KindReport> reports = new ArrayList<>();
    byKind.forEach((kind, parts) -> reports.add(sum(settings, kind, parts)));
    return List.copyOf(reports);
  }

  private static KindReport sum(LoadSettings settings, JobKind kind, List<LoopStatistics> parts) {
    Histogram corrected = new Histogram(LoopStatistics.MAX_LATENCY_NANOS, 3);
    boolean isScheduled = parts.getFirst().isScheduled();
    Histogram uncorrected =
        isScheduled ? new Histogram(LoopStatistics.MAX_LATENCY_NANOS, 3) : corrected;
    Map<String, Long> errors = new TreeMap<>();
    long operations = 0;
    long units = 0;
    for (LoopStatistics part : parts) {
      operations += part.measured();
      units += part.measuredUnits();
      part.moveLatencies(corrected, uncorrected);
      part.addErrors(errors);
    }
    return new KindReport(
        kind,
        operations,
        kind.countsEntries() ? units : operations,
        kind.countsEntries() ? units : Throughput.of(settings, 1, parts).operations(),
        errors,
        corrected,
        uncorrected);
  }

  /** The total number of errors. */
  public long errorCount() {
    return errors.values().stream().mapToLong(Long::longValue).sum();
  }
}
