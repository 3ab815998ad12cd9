package org.nyala.loadtest.result;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;

/** The combined results of jobs, or of hosts, that ran at the same time. Stateless. */
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
    return new LoadReport(
        first.settings(),
        first.seconds(),
        reports.stream().mapToLong(LoadReport::operations).sum(),
        reports.stream().mapToLong(LoadReport::units).sum(),
        reports.stream().map(LoadReport::throughput).reduce(Throughput::and).orElseThrow(),
        reports.stream().mapToLong(LoadReport::allOperations).sum(),
        errors(reports.stream().map(LoadReport::errors).toList()),
        reports.stream().mapToLong(LoadReport::measuredFailed).sum(),
        joined(reports.stream().map(LoadReport::corrected).toList()),
        joined(reports.stream().map(LoadReport::uncorrected).toList()),
        first.cpuUnits(),
        first.resources(),
        intervals(reports),
        List.of(),
        first.wrongExample(),
        occurrences(reports),
        List.of());
  }

  /**
   * One report of the shares of one job that ran on several hosts at the same time: counts, CPU
   * time and memory of the clients are added up, histograms joined without loss.
   *
   * @param whole the settings of all shares together
   * @param lost the number of hosts whose figures are missing, an error each
   */
  public static LoadReport ofHosts(LoadSettings whole, List<LoadReport> reports, int lost) {
    LoadReport first = reports.getFirst();
    Map<String, Long> errors = errors(reports.stream().map(LoadReport::errors).toList());
    LoopStatistics.count(errors, LoadReport.AGENT_LOST, lost);
    double seconds =
        reports.stream().mapToDouble(report -> report.throughput().seconds()).max().orElseThrow();
    return new LoadReport(
        whole,
        reports.stream().mapToDouble(LoadReport::seconds).max().orElseThrow(),
        reports.stream().mapToLong(LoadReport::operations).sum(),
        reports.stream().mapToLong(LoadReport::units).sum(),
        new Throughput(
            seconds,
            reports.stream().mapToLong(report -> report.throughput().operations()).sum(),
            reports.stream().mapToLong(report -> report.throughput().units()).sum()),
        reports.stream().mapToLong(LoadReport::allOperations).sum(),
        errors,
        reports.stream().mapToLong(LoadReport::measuredFailed).sum(),
        joined(reports.stream().map(LoadReport::corrected).toList()),
        joined(reports.stream().map(LoadReport::uncorrected).toList()),
        reports.stream().mapToLong(LoadReport::cpuUnits).sum(),
        new Resources(
            ResourceUse.NONE,
            reports.stream()
                .map(report -> report.resources().client())
                .reduce(ResourceUse::and)
                .orElseThrow(),
            reports.stream()
                .map(report -> report.resources().gcPauses())
                .reduce(GcPauses::and)
                .orElseThrow()),
        intervals(reports),
        kinds(reports),
        reports.stream()
            .map(LoadReport::wrongExample)
            .filter(example -> !example.isEmpty())
            .findFirst()
            .orElse(first.wrongExample()),
        occurrences(reports),
        List.of());
  }

  private static List<KindReport> kinds(List<LoadReport> reports) {
    Map<JobKind, List<KindReport>> byKind = new EnumMap<>(JobKind.class);
    for (LoadReport report : reports) {
      report
          .kinds()
          .forEach(kind -> byKind.computeIfAbsent(kind.job(), _ -> new ArrayList<>()).add(kind));
    }
    List<KindReport> kinds = new ArrayList<>();
    byKind.forEach(
        (job, parts) ->
            kinds.add(
                new KindReport(
                    job,
                    parts.stream().mapToLong(KindReport::operations).sum(),
                    parts.stream().mapToLong(KindReport::units).sum(),
                    parts.stream().mapToLong(KindReport::ratedUnits).sum(),
                    errors(parts.stream().map(KindReport::errors).toList()),
                    joined(parts.stream().map(KindReport::corrected).toList()),
                    joined(parts.stream().map(KindReport::uncorrected).toList()))));
    return kinds;
  }

  private static Map<Occurrence, Long> occurrences(List<LoadReport> reports) {
    Map<Occurrence, Long> sums = new EnumMap<>(Occurrence.class);
    reports.forEach(
        report ->
            report.occurrences().forEach((what, number) -> sums.merge(what, number, Long::sum)));
    return sums;
  }

  private static Map<String, Long> errors(List<Map<String, Long>> parts) {
    Map<String, Long> sum = new TreeMap<>();
    parts.forEach(part -> part.forEach((kind, number) -> sum.merge(kind, number, Long::sum)));
    return sum;
  }

  private static Histogram joined(List<Histogram> parts) {
    Histogram joined = new Histogram(LoopStatistics.MAX_LATENCY_NANOS, 3);
    parts.forEach(joined::add);
    return joined;
  }

  /**
   * The intervals of all jobs together: numbers are added up; of times the worst job counts, since
   * percentiles cannot be added.
   */
  private static List<IntervalSample> intervals(List<LoadReport> reports) {
    List<IntervalSample> sums = new ArrayList<>(reports.getFirst().intervals());
    for (LoadReport report : reports.subList(1, reports.size())) {
      List<IntervalSample> others = report.intervals();
      for (int i = 0; i < others.size(); i++) {
        if (i < sums.size()) {
          sums.set(i, sum(sums.get(i), others.get(i)));
        } else {
          sums.add(others.get(i));
        }
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
        errors(List.of(one.errorsByKind(), other.errorsByKind())),
        worse(one.corrected(), other.corrected()),
        worse(one.uncorrected(), other.uncorrected()),
        one.serverCpuNanos(),
        one.clientCpuNanos(),
        one.serverRssBytes(),
        one.disturbance().worse(other.disturbance()),
        one.pauses(),
        one.busyCores());
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
