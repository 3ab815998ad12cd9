package org.nyala.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.loadtest.compare.RatioInterval;
import org.nyala.loadtest.engine.JobTestCase;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.format.RenderedPage;
import org.nyala.loadtest.workload.ExitCode;

/** The files of {@code --report}, end to end. */
class ReportFolderTest extends JobTestCase {
  private LoadTester tester = new LoadTester();
  @TempDir Path folder;
  private String url = "";

  @BeforeEach
  void nameServer() {
    url = "ldap://127.0.0.1:" + server.getListenPort();
  }

  /** Ends after so many operations, however long they take. */
  private int search(String... more) {
    return search(List.of("--seconds=100", "--operations=200"), more);
  }

  private int search(List<String> extent, String... more) {
    String[] arguments =
        Stream.concat(
                Stream.of(
                    "search",
                    "--users=" + USERS,
                    "--connections=2",
                    "--warmup-seconds=0",
                    "--interval=0.1",
                    "--server-pid=" + ProcessHandle.current().pid(),
                    "--report=" + folder),
                extent.stream())
            .toArray(String[]::new);
    String[] all = Arrays.copyOf(arguments, arguments.length + more.length);
    System.arraycopy(more, 0, all, arguments.length, more.length);
    return tester.run(all);
  }

  private JSONObject results() throws Exception {
    return new JSONObject(Files.readString(folder.resolve("results.json")));
  }

  private RenderedPage page() throws Exception {
    return new RenderedPage(Files.readString(folder.resolve("report.html")));
  }

  private static Set<String> keys(JSONObject object) {
    return new TreeSet<>(object.getFields().keySet());
  }

  @Test
  void shouldWriteTheDocumentedKeys() throws Exception {
    assertThat(search("--url=" + url)).as(tester.err()).isZero();

    JSONObject results = results();
    Set<String> figures =
        Set.of(
            "seconds",
            "ratedSeconds",
            "operations",
            "allOperations",
            "unit",
            "units",
            "rate",
            "errorCount",
            "errors",
            "errorsInWords",
            "failedOperations",
            "firstLogins",
            "tlsHandshakes",
            "resumedHandshakes",
            "followedReferrals",
            "measuredFailedOperations",
            "errorsByResultCode",
            "timeOuts",
            "lostConnections",
            "wrongAnswers",
            "latencyMicros",
            "serverCpuMicros",
            "clientCpuMicros",
            "server",
            "client",
            "disturbed",
            "disturbance",
            "clientGcPauses",
            "clientGcMillis");
    Set<String> document = new TreeSet<>(figures);
    document.addAll(Set.of("job", "url", "facts", "kind", "jobs", "version"));
    Set<String> job = new TreeSet<>(figures);
    job.addAll(
        Set.of("job", "url", "connections", "depth", "wantedRate", "threads", "users", "flow"));
    job.addAll(Set.of("overTime", "percentileCurves", "histogram", "verdict", "wrongExample"));
    job.addAll(Set.of("reservations", "disturbances", "settings"));
    assertThat(keys(results)).isEqualTo(document);
    JSONObject first = (JSONObject) results.getFieldAsArray("jobs").getFirst();
    assertThat(keys(first)).isEqualTo(job);
    JSONObject corrected = results.getFieldAsObject("latencyMicros").getFieldAsObject("corrected");
    assertThat(keys(corrected))
        .containsExactlyInAnyOrder(
            "count", "mean", "min", "p50", "p75", "p90", "p95", "p99", "p999", "p9999", "max");
    assertThat(results.getFieldAsObject("latencyMicros").getFieldAsObject("uncorrected"))
        .isEqualTo(corrected);
    assertThat(results.getFieldAsInteger("operations")).isPositive();
    assertThat(results.getFieldAsObject("errorsByResultCode").getFields()).isEmpty();
    assertThat(keys(results.getFieldAsObject("facts")))
        .contains("command", "server", "processor", "java", "nyala-loadtest")
        .contains("password hash of the server", "durability of the server");
    assertThat(results.getFieldAsInteger("version")).isEqualTo(ResultJson.VERSION);
  }

  @Test
  void shouldWriteIntervalsThatAddUp() throws Exception {
    assertThat(search(List.of("--seconds=2"), "--url=" + url)).isZero();

    List<String> lines = Files.readAllLines(folder.resolve("intervals.csv"));
    assertThat(lines.getFirst()).isEqualTo(IntervalsCsv.HEADER);
    long operations = 0;
    for (String line : lines.subList(1, lines.size())) {
      String[] fields = line.split(",", -1);
      assertThat(fields).hasSameSizeAs(IntervalsCsv.HEADER.split(",", -1));
      operations += Long.parseLong(fields[3]);
    }
    assertThat(lines.size()).isGreaterThan(3);
    assertThat(operations).isEqualTo(results().getFieldAsInteger("operations").longValue());
  }

  @Test
  void shouldWriteALogThatHistogramToolsRead() throws Exception {
    assertThat(search("--url=" + url)).isZero();

    Histogram sum = new Histogram(3);
    try (HistogramLogReader reader =
        new HistogramLogReader(new File(folder.toFile(), "histogram.hlog"))) {
      EncodableHistogram interval = reader.nextIntervalHistogram();
      while (interval != null) {
        if ("search-corrected".equals(interval.getTag())) {
          sum.add((Histogram) interval);
        }
        interval = reader.nextIntervalHistogram();
      }
    }
    JSONObject corrected =
        results().getFieldAsObject("latencyMicros").getFieldAsObject("corrected");
    assertThat(sum.getTotalCount()).isEqualTo(corrected.getFieldAsInteger("count").longValue());
    assertThat(sum.getMaxValue() / 1e3)
        .isEqualTo(corrected.getFieldAsBigDecimal("max").doubleValue());
  }

  @Test
  void shouldWriteAPageThatNeedsNothingElse() throws Exception {
    assertThat(search("--url=" + url, "--histogram=seconds")).isZero();

    assertThat(folder.resolve("report.html")).content().contains("prefers-color-scheme: dark");
    try (RenderedPage page = page()) {
      assertThat(page.text())
          .contains("Whole seconds", "nyala-loadtest search", "There were no errors.");
      assertThat(page.charts()).isEqualTo(5);
      assertThat(page.texts("p").getFirst()).startsWith("search: ").contains("; nothing failed");
      assertThat(page.evaluate("document.querySelector('.scroll td:nth-child(5)').dataset.name"))
          .as("names of columns for narrow pages")
          .isEqualTo("done");
    }
    assertThat(tester.out()).contains("Queries that timed out: 0");
  }

  @Test
  void shouldShowErrorsByResultCode() throws Exception {
    searchesUntilRefusal = 0;

    assertThat(search("--url=" + url)).isEqualTo(ExitCode.FAILED);

    assertThat(results().getFieldAsObject("errorsByResultCode").getFieldAsInteger("51"))
        .isPositive();
    try (RenderedPage page = page()) {
      assertThat(page.text())
          .contains(" x busy (51);", "Errors, by kind:")
          .doesNotContain("resultCode51");
    }
  }

  @Test
  void shouldHideThePassword() throws Exception {
    assertThat(search("--url=" + url, "--bind-dn=cn=service", "--password", "secret")).isZero();

    assertThat(Files.readString(folder.resolve("report.html")))
        .contains("--password ***")
        .doesNotContain("secret");
  }

  @Test
  void shouldCompareServersInTurn() throws Exception {
    assertThat(search("--compare", url, url, "--rounds=2")).as(tester.err()).isZero();

    JSONObject results = results();
    assertThat(results.getFieldAsArray("servers")).hasSize(2);
    JSONObject second = (JSONObject) results.getFieldAsArray("servers").getLast();
    assertThat(second.getFieldAsArray("rounds")).hasSize(2);
    JSONObject ratio = second.getFieldAsObject("ratiosToFirst").getFieldAsObject("rate");
    assertThat(ratio.getFieldAsBigDecimal("min"))
        .isLessThanOrEqualTo(ratio.getFieldAsBigDecimal("median"));
    assertThat(ratio.getFieldAsBigDecimal("low95"))
        .isLessThanOrEqualTo(ratio.getFieldAsBigDecimal("high95"));
    assertThat(tester.out())
        .containsSubsequence(
            "warm-up",
            "warm-up",
            "round 1",
            "round 2",
            "search: " + url + " ",
            " operations/s, half of them within ",
            " and 99 of 100 within ",
            "; " + url + " (2) ",
            " operations/s, ",
            " times the first, half of them within ",
            "; nothing failed",
            RatioInterval.WARNING);
    String verdict = results.getFieldAsString("verdict");
    assertThat(tester.out()).contains(verdict);
    try (RenderedPage page = page()) {
      assertThat(page.text()).contains(verdict);
      assertThat(page.legends()).contains(url, url + " (2)");
      assertThat(page.texts("h1")).containsExactly("search, 2 servers side by side");
      assertThat(page.text()).contains(url + " (2)", RatioInterval.WARNING);
      assertThat(page.charts()).isEqualTo(5);
    }
  }

  @Test
  void shouldFindTheKnee() throws Exception {
    long start = System.nanoTime();
    // If the machine stands still for a moment, no rate is held; then it is tried again.
    do {
      assertThat(System.nanoTime() - start)
          .as(tester.out() + tester.err())
          .isLessThan(TimeUnit.SECONDS.toNanos(100));
      tester = new LoadTester();
      int exit = findKnee();
      boolean isAny = !tester.out().contains("no rate held");
      assertThat(exit)
          .as(tester.out() + tester.err())
          .isEqualTo(isAny ? ExitCode.OK : ExitCode.FAILED);
    } while (!tester.out().contains("highest rate held: 40"));

    assertThat(tester.out())
        .containsPattern(
            "\nhighest rate held: 40 operations/s, the highest allowed \\(p99 .*\\), half of them"
                + " within [^;]* and 99 of 100 within [^;]*; nothing failed");
    assertThat(tester.out()).contains(results().getFieldAsString("verdict"));
    JSONObject knee = results().getFieldAsObject("knee");
    assertThat(knee.getFieldAsArray("steps")).hasSizeGreaterThanOrEqualTo(2);
    try (RenderedPage page = page()) {
      assertThat(page.text()).contains("Highest rate held: 40 operations/s", "Every try");
      assertThat(page.charts()).isEqualTo(2);
    }
  }

  @Test
  void shouldSayThatTheTimeWasOverBeforeTheFirstTry() throws Exception {
    int exit = search(List.of("--seconds=2"), "--url=" + url, "--find-knee", "--knee-limit=1");

    assertThat(exit).as(tester.err()).isNotEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).doesNotContain("Exception");
    assertThat(results().getFieldAsString("verdict")).startsWith("no rate").endsWith(".");
  }

  private int findKnee() {
    return search(
        List.of("--seconds=0.4"),
        "--url=" + url,
        "--find-knee",
        "--knee-from=20",
        "--knee-to=40",
        "--knee-p99-ms=20000");
  }

  @Test
  void shouldSayInOneLineWhatFileCannotBeWritten() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");

    int exit =
        tester.run("search", "--users=1", "--url=" + url, "--report=" + file.resolve("folder"));

    assertThat(exit).isEqualTo(ExitCode.FAILED);
    assertThat(tester.err().lines()).hasSize(1).first().asString().contains("nyala-loadtest:");
    assertThat(searches.get()).isZero();
  }

  @Test
  void shouldRejectWhatCannotBeMeant() {
    assertThat(tester.run("search", "--users=1")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("either --url or --compare");
    assertThat(tester.run("search", "--users=1", "--url=" + url, "--compare", url, url))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.run("mixed", "--users=1", "--url=" + url, "--find-knee"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.run("search", "--users=1", "--compare", url, url, "--find-knee"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.run("search", "--users=1", "--compare", url, url, "--compare-pids=1"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.run("search", "--users=1", "--url=" + url, "--find-knee", "--knee-p99-ms=0"))
        .isEqualTo(ExitCode.USAGE);
  }
}
