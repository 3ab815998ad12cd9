package org.nyala.loadtest.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.format.RenderedPage;
import org.nyala.loadtest.workload.ExitCode;

class BenchmarksTest {
  /** The strategies to compare; all of them before a release. */
  private static final String STRATEGIES =
      System.getProperty("nyala.benchmark.strategies", "adaptive,striped");

  @TempDir Path folder;

  private final LoadTester tester = new LoadTester();

  /** As long as it takes on a machine that builds other things at the same time. */
  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void shouldRunEveryBenchmarkAndReportOnIt() throws Exception {
    int exitCode =
        tester.run(
            "jmh",
            "--short",
            "--quiet",
            "--report",
            folder.toString(),
            "-p",
            "strategy=" + STRATEGIES);

    assertThat(tester.err()).isEmpty();
    assertThat(exitCode).isEqualTo(ExitCode.OK);
    List<String> benchmarks = BenchmarkRun.names(List.of());
    String json = Files.readString(folder.resolve("results.json"));
    assertThat(benchmarks)
        .isNotEmpty()
        .allSatisfy(name -> assertThat(json).contains("\"benchmark\":\"%s\"".formatted(name)));
    try (RenderedPage page = new RenderedPage(Files.readString(folder.resolve("report.html")))) {
      for (JsonElement suite : BenchmarkSuite.json()) {
        String title = suite.getAsJsonObject().get("title").getAsString();
        assertThat(page.texts("h2")).contains(title);
        assertThat(page.texts("p")).contains(suite.getAsJsonObject().get("text").getAsString());
      }
      assertThat(page.texts("h3"))
          .contains(DispatchStrategies.DEFAULT + " beside the best of the others");
      assertThat(page.charts()).isGreaterThanOrEqualTo(page.texts("h2").size());
    }
  }

  @Test
  void shouldFailWhenABenchmarkFails() {
    int exitCode =
        tester.run(
            "jmh",
            "--short",
            "--quiet",
            "-p",
            "strategy=no-such-strategy",
            "DispatchHop.*oneTask$");

    assertThat(exitCode).isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("nyala-loadtest: ");
  }

  @Test
  void shouldFailWhenNoBenchmarkIsMeant() {
    assertThat(tester.run("jmh", "--short", "--quiet", "NoSuchBenchmark"))
        .isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("there is no such benchmark");
  }

  /** Nine rows of the same server would look like nine strategies. */
  @Test
  void shouldMeasureAServerThatIsThereOnce() {
    BenchmarkRun run =
        new BenchmarkRun(
            JmhProfile.NORMAL, Map.of("url", List.of("ldap://127.0.0.1:1")), 0, 1, 1, true);

    assertThat(run.valuesOf(BenchmarkSuite.END_TO_END))
        .containsOnlyKeys("url", "strategy")
        .containsEntry("strategy", List.of("of-that-server"));
    assertThat(run.valuesOf(BenchmarkSuite.STRATEGIES)).containsOnlyKeys("url");
    assertThat(
            new BenchmarkRun(JmhProfile.NORMAL, Map.of(), 0, 1, 1, true)
                .valuesOf(BenchmarkSuite.END_TO_END))
        .isEmpty();
  }
}
