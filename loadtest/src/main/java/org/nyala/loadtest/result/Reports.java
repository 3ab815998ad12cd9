package org.nyala.loadtest.result;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** The combined results of jobs that ran at the same time. */
public final class Reports {
  private Reports() {}

  /**
   * One report of all of them, with the settings of the first; a single report is returned as it
   * is.
   */
  public static LoadReport sum(List<LoadReport> reports) {
    LoadReport first = reports.getFirst();
    if (reports.size() == 1) {
      return first;
    }
    Map<String, Long> errors = new TreeMap<>();
    Histogram corrected = new Histogram(LoopStatistics.MAX_LATENCY_NANOS, 3);
    Histogram uncorrected = new Histogram(LoopStatistics.MAX_LATENCY_NANOS, 3);
    for (LoadReport report : reports) {
      report.errors().forEach((kind, number) -> errors.merge(kind, number, Long::sum));
      corrected.add(report.corrected());
      uncorrected.add(report.uncorrected());
    }
    return new LoadReport(
        first.settings(),
        first.seconds(),
        reports.stream().mapToLong(LoadReport::operations).sum(),
        reports.stream().mapToLong(LoadReport::units).sum(),
        reports.stream().map(LoadReport::throughput).reduce(Throughput::and).orElseThrow(),
        reports.stream().mapToLong(LoadReport::allOperations).sum(),
        errors,
        reports.stream().mapToLong(LoadReport::measuredFailed).sum(),
        corrected,
        uncorrected,
        first.cpuUnits(),
        first.resources(),
        intervals(reports),
        List.of(),
        first.wrongExample(),
        reports.stream().mapToLong(LoadReport::firstLogins).sum(),
        List.of());
  }

  /**
   * The intervals of all jobs together: numbers are added up; of times the worst job counts, since
   * percentiles cannot be added.
   */
  private static List<IntervalSample> intervals(List<LoadReport> reports) {
    List<IntervalSample> sums = new ArrayList<>(reports.getFirst().intervals());
    for (LoadReport report : reports.subList(1, reports.size())) {
      List<IntervalSample> others = report.intervals();
      for (int i = 0; i < Math.min(sums.size(), others.size()); i++) {
        sums.set(i, sum(sums.get(i), others.get(i)));
      }
    }
    return sums;
  }

  private static IntervalSample sum(IntervalSample one, IntervalSample other) {
    return new IntervalSample(
        one.startSeconds(),
        one.seconds(),
        one.isWarmup(),
        one.operations() + other.operations(),
        one.units() + other.units(),
        sum(one.errorsByKind(), other.errorsByKind()),
        worse(one.corrected(), other.corrected()),
        worse(one.uncorrected(), other.uncorrected()),
        one.serverCpuNanos(),
        one.clientCpuNanos(),
        one.serverRssBytes(),
        one.disturbance().worse(other.disturbance()),
        one.pauses(),
        one.busyCores());
  }

  private static Map<String, Long> sum(Map<String, Long> one, Map<String, Long> other) {
    Map<String, Long> sum = new TreeMap<>(one);
    other.forEach((kind, number) -> sum.merge(kind, number, Long::sum));
    return sum;
  }

  private static IntervalSample.Times worse(IntervalSample.Times one, IntervalSample.Times other) {
    return new IntervalSample.Times(
        greater(one.p50Micros(), other.p50Micros()),
        greater(one.p99Micros(), other.p99Micros()),
        greater(one.p999Micros(), other.p999Micros()),
        greater(one.maxMicros(), other.maxMicros()));
  }

  private static double greater(double one, double other) {
    return Double.isNaN(one) || other > one ? other : one;
  }
}
