package org.nyala.loadtest.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.nyala.loadtest.cli.KneeSearch.Bounds;
import org.nyala.loadtest.cli.KneeSearch.Knee;
import org.nyala.loadtest.cli.KneeSearch.Sample;
import org.nyala.loadtest.cli.KneeSearch.Step;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.format.HtmlPage;
import org.nyala.loadtest.format.JsonNumber;
import org.nyala.loadtest.format.LineChart;
import org.nyala.loadtest.format.LineChart.Point;
import org.nyala.loadtest.format.ReportTable;
import org.nyala.loadtest.format.Scale;
import org.nyala.loadtest.report.LoadPage;
import org.nyala.loadtest.report.ResultJson;
import org.nyala.loadtest.report.ServerIdentity;
import org.nyala.loadtest.report.TestOutput;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.TestDuration;

/**
 * The search for the highest rate of a job that a server holds. Confined to the thread that runs
 * it.
 */
public final class KneeRun {
  private static final double PERCENT = 100;

  private final TestOutput output;
  private final LoadSettings job;
  private final KneeOptions options;
  private final Bounds bounds;
  private final double confirmTimes;

  KneeRun(TestOutput output, LoadSettings job, KneeOptions options) {
    this.output = output;
    this.job = job;
    this.options = options;
    this.bounds = options.bounds();
    this.confirmTimes = options.confirmTimes();
  }

  /**
   * Searches and reports.
   *
   * @return true if any rate was held
   */
  boolean run() throws IOException, InterruptedException, LoadTestException {
    if (output.folder().isPresent()) {
      output.fact("server", ServerIdentity.of(job));
    }
    Knee knee = new KneeSearch(bounds, this::at).search(options.from(), options.to());
    output.print(text(knee));
    output.write(json(knee), page(knee));
    return knee.rate() > 0;
  }

  private Sample at(double rate, boolean isLong) throws LoadTestException, InterruptedException {
    TestDuration extent = job.extent();
    double times = isLong ? confirmTimes : 1;
    LoadSettings settings =
        job.at(job.pace().at(rate)).lasting(times * extent.seconds(), extent.warmupSeconds());
    LoadReport report = output.measure(List.of(settings), LoadListener.NONE).getFirst();
    Sample sample = sample(report);
    output.print(
        String.format(
            Locale.ROOT,
            "%s/s wanted%s: %,.0f/s done, p50 %,.0f us, p99 %,.0f us, errors %s %%%s%n",
            Scale.count(rate),
            isLong ? " for longer" : "",
            sample.rate(),
            sample.p50Micros(),
            sample.p99Micros(),
            Scale.trimmed(sample.errorPercent()),
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
    return "p99 from the intended start at most %s, errors at most %s %%"
        .formatted(Scale.micros(bounds.p99Micros()), Scale.trimmed(bounds.errorPercent()));
  }

  private String headline(Knee knee) {
    if (knee.rate() == 0) {
      return "no rate held: " + bound();
    }
    return "highest rate held: %s %s/s%s (%s)"
        .formatted(
            Scale.count(knee.rate()),
            "operations",
            knee.isLimit() ? ", the highest allowed" : "",
            bound());
  }

  private String text(Knee knee) {
    return headline(knee) + System.lineSeparator();
  }

  private JsonObject json(Knee knee) {
    JsonObject json = new JsonObject();
    json.add("facts", ResultJson.texts(output.facts()));
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

  /** A page with the curve and every step. */
  HtmlPage page(Knee knee) {
    HtmlPage page = new HtmlPage("The knee: " + job.job().label() + ", " + ResultJson.url(job));
    page.element("p", headline(knee) + ".");
    page.element(
        "p",
        "Operations begin on a schedule that waits for nobody; a server that cannot follow makes"
            + " its clients wait ever longer. A rate that fails is tried twice; the highest one"
            + " held must be held once more for longer, or a lower one is looked for.");
    List<Step> steps = knee.steps();
    page.charts(
        new LineChart(
                "latency from the intended start",
                "wanted operations/s",
                Scale.linear(Scale::count),
                Scale.logarithmic(Scale::micros))
            .line("p99", curve(steps, Sample::p99Micros))
            .line("p50", curve(steps, Sample::p50Micros))
            .across("bound of p99", bounds.p99Micros()),
        new LineChart(
                "operations/s done",
                "wanted operations/s",
                Scale.linear(Scale::count),
                Scale.linear(Scale::count))
            .line("done", curve(steps, Sample::rate))
            .line("wanted", steps.stream().map(KneeRun::wanted).sorted(KneeRun::byRate).toList()));
    ReportTable table =
        new ReportTable(
            "wanted/s", "seconds", "done/s", "p50", "p99", "errors, %", "held", "passed");
    for (Step step : steps) {
      table.row(
          Scale.count(step.wantedRate()),
          Scale.trimmed((step.isLong() ? confirmTimes : 1) * job.extent().seconds()),
          Scale.count(Math.rint(step.sample().rate())),
          LoadPage.latency(step.sample().p50Micros()),
          LoadPage.latency(step.sample().p99Micros()),
          Scale.trimmed(step.sample().errorPercent()),
          step.isHeld() ? "yes" : "no",
          step.verdict() + (step.sample().isDisturbed() ? " (disturbed)" : ""));
    }
    page.element("h2", "Every try");
    page.table(table);
    LoadPage.appendFacts(page, output.facts());
    return page;
  }

  private static Point wanted(Step step) {
    return new Point(step.wantedRate(), step.wantedRate());
  }

  private static int byRate(Point one, Point other) {
    return Double.compare(one.x(), other.x());
  }

  /** The last try at each rate, which decided. */
  private static List<Point> curve(List<Step> steps, ToDoubleFunction<Sample> figure) {
    Map<Double, Point> points = new TreeMap<>();
    for (Step step : steps) {
      double rate = step.wantedRate();
      points.put(rate, new Point(rate, figure.applyAsDouble(step.sample())));
    }
    return List.copyOf(points.values());
  }
}
