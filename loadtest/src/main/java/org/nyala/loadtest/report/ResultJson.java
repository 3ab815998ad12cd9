package org.nyala.loadtest.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.cli.KneeSearch;
import org.nyala.loadtest.format.Json;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.KindReport;
import org.nyala.loadtest.result.LatencyTable;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.Percentile;
import org.nyala.loadtest.result.Reports;
import org.nyala.loadtest.result.ResourceUse;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Replay;
import org.nyala.loadtest.workload.Security;

/**
 * What was measured, for programs: the keys of {@code results.json}. The manual page lists them; a
 * key keeps its meaning.
 */
public final class ResultJson {
  private static final double NANOS_PER_MICRO = 1e3;

  private ResultJson() {}

  /**
   * The document of a run: what all its jobs did together, the circumstances, and every job.
   *
   * @param facts circumstances by name
   */
  public static Json document(Map<String, String> facts, List<LoadReport> reports) {
    Json circumstances = new Json();
    facts.forEach(circumstances::put);
    List<String> jobs = reports.stream().map(report -> report.settings().job().label()).toList();
    Json document =
        new Json()
            .put("job", String.join("+", jobs))
            .put("url", url(reports.getFirst().settings()));
    LoadReport all = Reports.sum(reports);
    putFigures(document, all);
    return document
        .put("facts", circumstances)
        .put("jobs", reports.stream().map(report -> job(report).toString()).toList());
  }

  /** One job. */
  public static Json job(LoadReport report) {
    LoadSettings settings = report.settings();
    Json json =
        new Json()
            .put("job", settings.job().label())
            .put("url", url(settings))
            .put("connections", settings.connections())
            .put("depth", settings.pace().depth())
            .put("wantedRate", settings.pace().isOpen() ? settings.pace().rate() : Double.NaN)
            .put("threads", settings.threads())
            .put("users", settings.people().users());
    putFigures(json, report);
    if (!report.kinds().isEmpty()) {
      json.put(
          "kinds", report.kinds().stream().map(kind -> kind(report, kind).toString()).toList());
    }
    Replay replay = settings.options().replay();
    if (replay != null) {
      json.put("leftOutOfLog", counts(replay.leftOut()));
    }
    if (settings.job() == JobKind.MODIFY_EACH) {
      json.put("histogram", LatencyTable.of(report.corrected()).json());
    }
    return json;
  }

  private static Json kind(LoadReport report, KindReport kind) {
    return new Json()
        .put("job", kind.job().label())
        .put("operations", kind.operations())
        .put("unit", kind.job().unit())
        .put("units", kind.units())
        .put("rate", kind.ratedUnits() / report.throughput().seconds())
        .put("errorCount", kind.errorCount())
        .put("errors", counts(kind.errors()))
        .put("latencyMicros", latencies(kind.corrected(), kind.uncorrected()));
  }

  private static Json latencies(Histogram corrected, Histogram uncorrected) {
    return new Json().put("corrected", latency(corrected)).put("uncorrected", latency(uncorrected));
  }

  /** Where a test was directed. */
  public static String url(LoadSettings settings) {
    boolean isLdaps = settings.security().kind() == Security.Kind.FROM_THE_START;
    return (isLdaps ? "ldaps://" : "ldap://")
        + settings.server().getHostString()
        + ":"
        + settings.server().getPort();
  }

  private static void putFigures(Json json, LoadReport report) {
    json.put("seconds", report.seconds())
        .put("ratedSeconds", report.throughput().seconds())
        .put("operations", report.operations())
        .put("allOperations", report.allOperations())
        .put("unit", report.settings().job().unit())
        .put("units", report.units())
        .put("rate", report.rate())
        .put("failedOperations", report.failedOperations())
        .put("measuredFailedOperations", report.measuredFailed())
        .put("lostConnections", report.lostConnections())
        .put("errorCount", report.errorCount())
        .put("errors", counts(report.errors()))
        .put("errorsByResultCode", counts(byResultCode(report)))
        .put("timeOuts", report.timeOuts())
        .put("wrongAnswers", report.wrongAnswers())
        .put("latencyMicros", latencies(report.corrected(), report.uncorrected()))
        .put("serverCpuMicros", report.serverCpuMicros())
        .put("clientCpuMicros", report.clientCpuMicros())
        .put("server", process(report.resources().server()))
        .put("client", process(report.resources().client()))
        .put("clientGcPauses", report.resources().gcPauses().count())
        .put("clientGcMillis", report.resources().gcPauses().millis())
        .put("disturbed", report.isDisturbed())
        .put("disturbance", Disturbance.json(report.intervals()));
  }

  private static Map<String, Long> byResultCode(LoadReport report) {
    Map<String, Long> codes = new TreeMap<>();
    report.errorsByResultCode().forEach((code, number) -> codes.put(code.toString(), number));
    return codes;
  }

  private static Json counts(Map<String, Long> numbers) {
    Json json = new Json();
    numbers.forEach(json::put);
    return json;
  }

  /** Mean, percentiles and extremes, in microseconds; null where nothing ended. */
  static Json latency(Histogram nanos) {
    Json json = new Json().put("count", nanos.getTotalCount());
    boolean isEmpty = nanos.getTotalCount() == 0;
    json.put("mean", isEmpty ? Double.NaN : nanos.getMean() / NANOS_PER_MICRO);
    json.put("min", isEmpty ? Double.NaN : nanos.getMinValue() / NANOS_PER_MICRO);
    for (Percentile percentile : Percentile.values()) {
      json.put(percentile.key(), percentile.micros(nanos));
    }
    return json.put("max", isEmpty ? Double.NaN : nanos.getMaxValue() / NANOS_PER_MICRO);
  }

  /** What a process used; numbers that are not known are null. */
  private static Json process(ResourceUse use) {
    return new Json()
        .put("cpuSeconds", use.cpuNanos() < 0 ? Double.NaN : use.cpuNanos() / 1e9)
        .put("rssBytes", known(use.rssBytes()))
        .put("voluntarySwitches", known(use.voluntarySwitches()))
        .put("involuntarySwitches", known(use.involuntarySwitches()));
  }

  private static double known(long number) {
    return number < 0 ? Double.NaN : number;
  }

  /** The steps of a search for the knee. */
  public static Json knee(KneeSearch.Bounds bounds, KneeSearch.Knee knee) {
    List<String> steps = new ArrayList<>();
    for (KneeSearch.Step step : knee.steps()) {
      steps.add(
          new Json()
              .put("wantedRate", step.wantedRate())
              .put("long", step.isLong())
              .put("rate", step.sample().rate())
              .put("p50Micros", step.sample().p50Micros())
              .put("p99Micros", step.sample().p99Micros())
              .put("errorPercent", step.sample().errorPercent())
              .put("held", step.isHeld())
              .put("disturbed", step.sample().isDisturbed())
              .put("passed", step.verdict())
              .toString());
    }
    return new Json()
        .put("rate", knee.rate())
        .put("higherNotTried", knee.isLimit())
        .put("boundP99Micros", bounds.p99Micros())
        .put("boundErrorPercent", bounds.errorPercent())
        .put("steps", steps);
  }
}
