package org.nyala.loadtest.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.nyala.loadtest.cli.KneeSearch.Bounds;
import org.nyala.loadtest.cli.KneeSearch.Knee;
import org.nyala.loadtest.cli.KneeSearch.Sample;
import org.nyala.loadtest.cli.KneeSearch.Step;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.format.FigureText;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.report.TestOutput;
import org.nyala.loadtest.report.Verdict;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.server.ServerFacts;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.TestDuration;

/**
 * The search for the highest rate of a job that a server holds. Confined to the thread that runs
 * it.
 */
public final class KneeRun implements KneeSearch.Load {
  private static final double PERCENT = 100;
  private static final double NANOS_PER_SECOND = 1e9;

  private final TestOutput output;
  private final LoadSettings job;
  private final KneeOptions options;
  private final Bounds bounds;
  private final double confirmTimes;
  private final double limitSeconds;

  /** The reports of all tries, in the order of their steps. */
  private final List<LoadReport> reports = new ArrayList<>();

  private long startNanos;

  KneeRun(TestOutput output, LoadSettings job, KneeOptions options) {
    this.output = output;
    this.job = job;
    this.options = options;
    this.bounds = options.bounds();
    this.confirmTimes = options.confirmTimes();
    this.limitSeconds = options.limitSeconds();
  }

  /**
   * Searches and reports.
   *
   * @return true if any rate was held
   */
  boolean run() throws IOException, InterruptedException, LoadTestException {
    if (output.folder().isPresent()) {
      ServerFacts.read(job).lines().forEach(output::fact);
    }
    startNanos = System.nanoTime();
    Knee knee = new KneeSearch(bounds, this).search(options.from(), options.to());
    output.print(verdict(knee) + System.lineSeparator());
    output.write(json(knee));
    return knee.rate() > 0;
  }

  private double seconds(boolean isLong) {
    return (isLong ? confirmTimes : 1) * job.extent().seconds();
  }

  @Override
  public boolean isTimeFor(boolean isLong) {
    double spent = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    return spent + job.extent().warmupSeconds() + seconds(isLong) <= limitSeconds;
  }

  @Override
  public Sample at(double rate, boolean isLong) throws LoadTestException, InterruptedException {
    TestDuration extent = job.extent();
    LoadSettings settings =
        job.at(job.pace().at(rate)).lasting(seconds(isLong), extent.warmupSeconds());
    LoadReport report = output.measure(List.of(settings), LoadListener.NONE).getFirst();
    reports.add(report);
    Sample sample = sample(report);
    output.print(
        String.format(
            Locale.ROOT,
            "%s/s wanted%s: %,.0f/s done, p50 %s, p99 %s, errors %s %%%s%n",
            FigureText.count(rate),
            isLong ? " for longer" : "",
            sample.rate(),
            FigureText.latency(sample.p50Micros()),
            FigureText.latency(sample.p99Micros()),
            FigureText.trimmed(sample.errorPercent()),
            sample.isDisturbed() ? ", disturbed" : ""));
    return sample;
  }

  /**
   * Returns the sample of a test at its rate; errors are the failed operations of the measured
   * period.
   */
  public static Sample sample(LoadReport report) {
    double share = report.failedShare();
    return new Sample(
        report.throughput().operationRate(),
        report.latencyMicros(50),
        report.latencyMicros(99),
        Double.isNaN(share) ? PERCENT : PERCENT * share,
        report.isDisturbed());
  }

  private String bound() {
    return String.format(
        Locale.ROOT,
        "p99 from the intended start at most %s, errors at most %s %%",
        FigureText.micros(bounds.p99Micros()),
        FigureText.trimmed(bounds.errorPercent()));
  }

  /** The rate with what was seen at it, in one sentence; without one, with the last try. */
  private String verdict(Knee knee) {
    if (reports.isEmpty()) {
      // The time was over before the first try.
      return headline(knee) + '.';
    }
    LoadReport report = reports.getLast();
    for (int i = 0; i < reports.size(); i++) {
      Step step = knee.steps().get(i);
      report = step.wantedRate() == knee.rate() && step.isHeld() ? reports.get(i) : report;
    }
    String begin = headline(knee);
    return Verdict.of(
        List.of(
            Verdict.Reached.of(
                knee.rate() > 0
                    ? begin
                    : begin + "; the last try: " + Verdict.rate(report.rate(), report),
                report)),
        report.errors(),
        report.isDisturbed() ? report.intervals() : List.of());
  }

  private String headline(Knee knee) {
    String cut =
        knee.isCut()
            ? "; the search ended after --knee-limit ("
                + FigureText.trimmed(limitSeconds)
                + " s), before it was sure"
            : "";
    if (knee.rate() == 0) {
      return "no rate held: " + bound() + cut;
    }
    return String.format(
        Locale.ROOT,
        "highest rate held: %s operations/s%s (%s)%s",
        FigureText.count(knee.rate()),
        knee.isLimit() ? ", the highest allowed" : "",
        bound(),
        cut);
  }

  private JsonObject json(Knee knee) {
    JsonObject json = new JsonObject();
    json.add("facts", ResultJson.texts(output.facts()));
    json.addProperty("kind", "knee");
    json.addProperty("verdict", verdict(knee));
    json.addProperty("job", job.job().label());
    json.addProperty("url", ResultJson.url(job));
    json.addProperty("connections", job.connections());
    json.addProperty("depth", job.pace().depth());
    json.add("secondsOfAStep", JsonNumber.of(job.extent().seconds()));
    json.add("secondsOfALongStep", JsonNumber.of(confirmTimes * job.extent().seconds()));
    json.add("knee", result(knee));
    return json;
  }

  private JsonObject result(Knee knee) {
    JsonObject json = new JsonObject();
    json.add("rate", JsonNumber.of(knee.rate()));
    json.addProperty("higherNotTried", knee.isLimit());
    json.addProperty("cut", knee.isCut());
    json.add("boundP99Micros", JsonNumber.of(bounds.p99Micros()));
    json.add("boundErrorPercent", JsonNumber.of(bounds.errorPercent()));
    JsonArray steps = new JsonArray();
    knee.steps().forEach(step -> steps.add(json(step)));
    json.add("steps", steps);
    return json;
  }

  private static JsonObject json(Step step) {
    JsonObject json = new JsonObject();
    json.add("wantedRate", JsonNumber.of(step.wantedRate()));
    json.addProperty("long", step.isLong());
    json.add("rate", JsonNumber.of(step.sample().rate()));
    json.add("p50Micros", JsonNumber.of(step.sample().p50Micros()));
    json.add("p99Micros", JsonNumber.of(step.sample().p99Micros()));
    json.add("errorPercent", JsonNumber.of(step.sample().errorPercent()));
    json.addProperty("held", step.isHeld());
    json.addProperty("disturbed", step.sample().isDisturbed());
    json.addProperty("passed", step.verdict());
    return json;
  }
}
