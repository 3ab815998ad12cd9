package org.nyala.loadtest.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.DisturbedSpan;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.result.KindReport;
import org.nyala.loadtest.result.LatencyTable;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.Occurrence;
import org.nyala.loadtest.result.Percentile;
import org.nyala.loadtest.result.Reports;
import org.nyala.loadtest.result.ResourceUse;
import org.nyala.loadtest.result.SecondsTable;
import org.nyala.loadtest.result.ServerReport;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Replay;
import org.nyala.loadtest.workload.Security;

/**
 * The results of a test for programs: the keys of {@code results.json}. The manual page lists them;
 * a key keeps its meaning.
 */
public final class ResultJson {
  /**
   * The version of the document: a higher one if a key has another meaning than before, or is gone.
   */
  public static final int VERSION = 1;

  private static final double NANOS_PER_MICRO = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double LAST_PERCENTILE = 99.999;
  private static final int PERCENTILE_STEPS = 5;

  private ResultJson() {}

  /**
   * The document of a run: the sum of all its jobs, the circumstances, and every job with what the
   * page draws.
   *
   * @param facts circumstances by name
   * @param histogram wanted table of whole seconds or milliseconds
   */
  public static JsonObject document(
      Map<String, String> facts, List<LoadReport> reports, Optional<SecondsTable.Unit> histogram) {
    List<String> jobs = reports.stream().map(report -> report.settings().job().label()).toList();
    JsonObject document = new JsonObject();
    document.addProperty("job", String.join("+", jobs));
    document.addProperty("url", url(reports.getFirst().settings()));
    addFigures(document, Reports.sum(reports));
    document.add("facts", texts(facts));
    document.addProperty("kind", "load");
    document.addProperty("version", VERSION);
    JsonArray all = new JsonArray();
    for (LoadReport report : reports) {
      JsonObject json = job(report);
      json.add("overTime", overTime(report));
      json.add("percentileCurves", curves(report));
      json.add("histogram", LatencyTable.of(report.corrected()).json());
      histogram.ifPresent(
          unit ->
              json.add(
                  "wholeUnits",
                  new SecondsTable(unit, report.corrected(), report.timeOuts()).json()));
      all.add(json);
    }
    document.add("jobs", all);
    return document;
  }

  /** The middle of each interval, and its figures. */
  private static JsonObject overTime(LoadReport report) {
    JsonObject json = new JsonObject();
    add(json, "seconds", report, sample -> sample.startSeconds() + sample.seconds() / 2);
    add(json, "rate", report, IntervalSample::rate);
    add(json, "p50Micros", report, sample -> sample.corrected().p50Micros());
    add(json, "p99Micros", report, sample -> sample.corrected().p99Micros());
    add(json, "maxMicros", report, sample -> sample.corrected().maxMicros());
    add(json, "serverCores", report, sample -> cores(sample, sample.serverCpuNanos()));
    add(json, "clientCores", report, sample -> cores(sample, sample.clientCpuNanos()));
    return json;
  }

  private static void add(
      JsonObject json, String key, LoadReport report, ToDoubleFunction<IntervalSample> figure) {
    JsonArray figures = new JsonArray();
    report.intervals().forEach(sample -> figures.add(JsonNumber.of(figure.applyAsDouble(sample))));
    json.add(key, figures);
  }

  private static double cores(IntervalSample sample, long nanos) {
    return nanos < 0 ? Double.NaN : nanos / NANOS_PER_SECOND / sample.seconds();
  }

  private static JsonObject curves(LoadReport report) {
    JsonObject json = new JsonObject();
    json.add("corrected", curve(report.corrected()));
    json.add("uncorrected", curve(report.uncorrected()));
    return json;
  }

  /** Percentiles and their values in microseconds, the denser the nearer to 100. */
  private static JsonArray curve(Histogram nanos) {
    JsonArray points = new JsonArray();
    if (nanos.getTotalCount() > 0) {
      double last = Math.min(LAST_PERCENTILE, 100 - 100.0 / nanos.getTotalCount());
      for (HistogramIterationValue value : nanos.percentiles(PERCENTILE_STEPS)) {
        if (value.getPercentileLevelIteratedTo() < last) {
          points.add(point(value.getPercentileLevelIteratedTo(), value.getValueIteratedTo()));
        }
      }
      points.add(point(last, nanos.getMaxValue()));
    }
    return points;
  }

  private static JsonArray point(double percentile, long nanos) {
    JsonArray point = new JsonArray();
    point.add(percentile);
    point.add(JsonNumber.of(nanos / NANOS_PER_MICRO));
    return point;
  }

  /** The circumstances by name. */
  public static JsonObject texts(Map<String, String> facts) {
    JsonObject json = new JsonObject();
    facts.forEach(json::addProperty);
    return json;
  }

  /** Jobs, or rounds of one. */
  public static JsonArray jobs(List<LoadReport> reports) {
    JsonArray jobs = new JsonArray();
    for (LoadReport report : reports) {
      jobs.add(job(report));
    }
    return jobs;
  }

  public static JsonObject job(LoadReport report) {
    LoadSettings settings = report.settings();
    LoadRate pace = settings.pace();
    JsonObject json = new JsonObject();
    json.addProperty("job", settings.job().label());
    json.addProperty("url", url(settings));
    json.addProperty("connections", settings.connections());
    json.addProperty("depth", pace.depth());
    json.add("wantedRate", JsonNumber.of(pace.isOpen() ? pace.rate() : Double.NaN));
    json.addProperty("flow", pace.flow().inWords());
    json.addProperty("threads", settings.threads());
    json.addProperty("users", settings.people().users());
    json.addProperty("verdict", Verdict.of(report));
    json.add("settings", ComparableSettings.of(settings));
    json.add("reservations", strings(Reservations.of(report).all()));
    json.add("disturbances", disturbances(report));
    json.addProperty("wrongExample", report.wrongExample());
    addFigures(json, report);
    if (!report.servers().isEmpty()) {
      json.add("perServer", servers(report));
    }
    if (!report.kinds().isEmpty()) {
      json.add("kinds", kinds(report));
    }
    Replay replay = settings.options().replay();
    if (replay != null) {
      json.add("leftOutOfLog", counts(replay.leftOut()));
    }
    if (settings.job() == JobKind.MODIFY_EACH) {
      json.add("histogram", LatencyTable.of(report.corrected()).json());
    }
    return json;
  }

  private static JsonArray strings(List<String> texts) {
    JsonArray json = new JsonArray();
    texts.forEach(json::add);
    return json;
  }

  private static JsonArray disturbances(LoadReport report) {
    JsonArray spans = new JsonArray();
    DisturbedSpan.of(report.intervals())
        .forEach(span -> spans.add(span.json(report.settings().pid() != 0)));
    return spans;
  }

  private static JsonArray servers(LoadReport report) {
    JsonArray servers = new JsonArray();
    for (ServerReport server : report.servers()) {
      JsonObject json = new JsonObject();
      json.addProperty("url", url(report.settings(), server.server()));
      json.addProperty("connections", server.connections());
      json.addProperty("operations", server.operations());
      json.addProperty("failedOperations", server.failed());
      json.addProperty("lostConnections", server.lost());
      servers.add(json);
    }
    return servers;
  }

  private static JsonArray kinds(LoadReport report) {
    JsonArray kinds = new JsonArray();
    for (KindReport kind : report.kinds()) {
      JsonObject json = new JsonObject();
      json.addProperty("job", kind.job().label());
      json.addProperty("operations", kind.operations());
      json.addProperty("unit", kind.job().unit());
      json.addProperty("units", kind.units());
      json.add("rate", JsonNumber.of(kind.ratedUnits() / report.throughput().seconds()));
      json.addProperty("errorCount", kind.errorCount());
      json.add("errors", counts(kind.errors()));
      json.addProperty("errorsInWords", ErrorText.of(kind.errors()));
      json.add("latencyMicros", latencies(kind.corrected(), kind.uncorrected()));
      kinds.add(json);
    }
    return kinds;
  }

  private static JsonObject latencies(Histogram corrected, Histogram uncorrected) {
    JsonObject json = new JsonObject();
    json.add("corrected", latency(corrected));
    json.add("uncorrected", latency(uncorrected));
    return json;
  }

  /** The URL of the server of a test; of several, with commas between. */
  public static String url(LoadSettings settings) {
    return settings.servers().stream()
        .map(server -> url(settings, server))
        .collect(Collectors.joining(","));
  }

  /** The URL of one of the servers. */
  static String url(LoadSettings settings, InetSocketAddress server) {
    boolean isLdaps = settings.security().kind() == Security.Kind.FROM_THE_START;
    return (isLdaps ? "ldaps://" : "ldap://") + server.getHostString() + ":" + server.getPort();
  }

  private static void addFigures(JsonObject json, LoadReport report) {
    json.add("seconds", JsonNumber.of(report.seconds()));
    json.add("ratedSeconds", JsonNumber.of(report.throughput().seconds()));
    json.addProperty("operations", report.operations());
    json.addProperty("allOperations", report.allOperations());
    json.addProperty("unit", report.settings().job().unit());
    json.addProperty("units", report.units());
    json.add("rate", JsonNumber.of(report.rate()));
    json.addProperty("failedOperations", report.failedOperations());
    json.addProperty("measuredFailedOperations", report.measuredFailed());
    json.addProperty("lostConnections", report.lostConnections());
    json.addProperty("errorCount", report.errorCount());
    json.add("errors", counts(report.errors()));
    json.addProperty("errorsInWords", ErrorText.of(report.errors()));
    json.add("errorsByResultCode", counts(byResultCode(report)));
    json.addProperty("timeOuts", report.timeOuts());
    json.addProperty("wrongAnswers", report.wrongAnswers());
    for (Occurrence what : Occurrence.values()) {
      OptionalLong number = report.count(what);
      json.add(
          what.key(),
          number.isPresent() ? new JsonPrimitive(number.getAsLong()) : JsonNull.INSTANCE);
    }
    json.add("latencyMicros", latencies(report.corrected(), report.uncorrected()));
    json.add("serverCpuMicros", JsonNumber.of(report.serverCpuMicros()));
    json.add("clientCpuMicros", JsonNumber.of(report.clientCpuMicros()));
    json.add("server", process(report.resources().server()));
    json.add("client", process(report.resources().client()));
    json.addProperty("clientGcPauses", report.resources().gcPauses().count());
    json.addProperty("clientGcMillis", report.resources().gcPauses().millis());
    json.addProperty("disturbed", report.isDisturbed());
    json.add("disturbance", Disturbance.json(report.intervals()));
  }

  private static Map<String, Long> byResultCode(LoadReport report) {
    Map<String, Long> codes = new TreeMap<>();
    report.errorsByResultCode().forEach((code, number) -> codes.put(code.toString(), number));
    return codes;
  }

  private static JsonObject counts(Map<String, Long> numbers) {
    JsonObject json = new JsonObject();
    numbers.forEach(json::addProperty);
    return json;
  }

  /** Mean, percentiles and extremes, in microseconds; null if no operation ended. */
  static JsonObject latency(Histogram nanos) {
    boolean isEmpty = nanos.getTotalCount() == 0;
    JsonObject json = new JsonObject();
    json.addProperty("count", nanos.getTotalCount());
    json.add("mean", JsonNumber.of(isEmpty ? Double.NaN : nanos.getMean() / NANOS_PER_MICRO));
    json.add("min", JsonNumber.of(isEmpty ? Double.NaN : nanos.getMinValue() / NANOS_PER_MICRO));
    for (Percentile percentile : Percentile.values()) {
      json.add(percentile.key(), JsonNumber.of(percentile.micros(nanos)));
    }
    json.add("max", JsonNumber.of(isEmpty ? Double.NaN : nanos.getMaxValue() / NANOS_PER_MICRO));
    return json;
  }

  /** The use of a process; numbers that are not known are null. */
  private static JsonObject process(ResourceUse use) {
    JsonObject json = new JsonObject();
    json.add("cpuSeconds", JsonNumber.of(use.cpuNanos() < 0 ? Double.NaN : use.cpuNanos() / 1e9));
    json.add("rssBytes", known(use.rssBytes()));
    json.add("voluntarySwitches", known(use.voluntarySwitches()));
    json.add("involuntarySwitches", known(use.involuntarySwitches()));
    return json;
  }

  private static JsonElement known(long number) {
    return JsonNumber.of(number < 0 ? Double.NaN : number);
  }
}
