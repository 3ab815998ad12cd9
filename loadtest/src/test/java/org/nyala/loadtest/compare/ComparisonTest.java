package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.util.json.JSONObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.loadtest.format.RenderedPage;
import org.nyala.loadtest.format.ReportPage;
import org.nyala.loadtest.result.ClosedLoopReport;
import org.nyala.loadtest.result.DiskProbe;
import org.nyala.loadtest.result.LatencyTable;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;

class ComparisonTest {
  private static LoadReport report(
      JobKind job, int connections, long operations, Map<String, Long> errors) {
    LoadSettings settings =
        new LoadSettings(
            job,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
            connections,
            1,
            TestDuration.of(1, 0),
            People.of(1000),
            Account.ANONYMOUS,
            0,
            JobOptions.DEFAULT);
    Histogram latency = new Histogram(3);
    for (long i = 0; i < operations; i++) {
      latency.recordValue(i < operations / 4 ? 40_000 : 1_500_000);
    }
    return ClosedLoopReport.of(settings, 1, operations, new TreeMap<>(errors), latency, 1000);
  }

  @Test
  void shouldWarmUpEachJobAloneBeforeSeveralAtTheSameTime() throws Exception {
    List<ComparisonStep> steps = ComparisonStep.of(List.of(ComparisonStep.MIXED));

    assertThat(ComparisonStep.warmUps(steps))
        .extracting(step -> step.parts().stream().map(ComparisonStep.Part::kind).toList())
        .containsExactly(
            List.of(JobKind.SEARCH),
            List.of(JobKind.SEARCH),
            List.of(JobKind.MODIFY),
            List.of(JobKind.SEARCH, JobKind.MODIFY));
    assertThat(ComparisonStep.warmUps(ComparisonStep.of(List.of())))
        .as("nothing twice, and nothing that ends by itself")
        .doesNotHaveDuplicates()
        .noneMatch(ComparisonStep::isOnce);
  }

  @Test
  void shouldSayWhatOfTheRateIsKeptRoundByRound() {
    Comparison comparison = new Comparison();
    for (long slowness : new long[] {1, 4, 2}) {
      comparison.add(
          "nyala", ComparisonStep.ALONE, report(JobKind.SEARCH, 16, 1600 / slowness, Map.of()));
      comparison.add(
          "nyala", ComparisonStep.BESIDE, report(JobKind.SEARCH, 16, 1200 / slowness, Map.of()));
      comparison.add("slapd-4", ComparisonStep.ALONE, report(JobKind.SEARCH, 16, 800, Map.of()));
      comparison.add(
          "slapd-4", ComparisonStep.BESIDE, report(JobKind.SEARCH, 16, 100 * slowness, Map.of()));
    }

    assertThat(new ComparisonReport(comparison).markdown())
        .contains("against searches alone: slapd 0.25 (0.13 - 0.50), Nyala 0.75 (0.75 - 0.75).")
        .contains(RatioInterval.WARNING);
  }

  @Test
  void shouldCompareFiguresOfTheSameRound() throws Exception {
    Comparison comparison = new Comparison();
    for (long slowness : new long[] {1, 4, 2}) {
      comparison.add("slapd-4", "search", report(JobKind.SEARCH, 16, 800 / slowness, Map.of()));
      comparison.add("slapd-8", "search", report(JobKind.SEARCH, 16, 80 / slowness, Map.of()));
      comparison.add("nyala", "search", report(JobKind.SEARCH, 16, 1600 / slowness, Map.of()));
    }
    Comparison.Cell cell = comparison.cells().getFirst();

    assertThat(comparison.ratios(cell, LoadFigures.RATE))
        .extracting(RatioInterval::ratio, RatioInterval::low, RatioInterval::high)
        .containsExactly(2.0, 2.0, 2.0);
    assertThat(comparison.kept(new Comparison.Cell("none", 1), cell, "nyala").ratio()).isNaN();
    ComparisonReport report = new ComparisonReport(comparison);
    report.fact("cores", "2");
    try (RenderedPage page = new RenderedPage(ReportPage.of(report.json()))) {
      assertThat(page.text())
          .contains("2.00 (2.00 – 2.00)", "search, 16 clients", "slapd-4", "cores")
          .contains(RatioInterval.WARNING)
          .doesNotContain("slapd-8");
      assertThat(page.charts()).isEqualTo(4);
    }
  }

  @Test
  void shouldWarnOfFewRoundsOnly() {
    Comparison comparison = new Comparison();
    for (int round = 0; round < RatioInterval.FEWEST_ROUNDS; round++) {
      assertThat(comparison.isOfFewRounds()).isTrue();
      comparison.add("nyala", "search", report(JobKind.SEARCH, 16, 100, Map.of()));
    }

    assertThat(comparison.isOfFewRounds()).isFalse();
    assertThat(new ComparisonReport(comparison).markdown()).doesNotContain(RatioInterval.WARNING);
  }

  @Test
  void shouldShowTheTailOfCrowds() throws Exception {
    Comparison comparison = new Comparison();
    comparison.add("nyala", ComparisonStep.CROWD, report(JobKind.SEARCH, 1000, 8, Map.of()));

    assertThat(new ComparisonReport(comparison).markdown())
        .contains("| 1000 | nyala | 1,500 | 1,500 | 1.00 | 1,50");
    assertThat(ComparisonStep.of(List.of("crowd")))
        .extracting(step -> step.parts().getFirst().connections())
        .containsExactly(1000, 10_000);
  }

  @Test
  void shouldShowHowLongModificationsTook() throws Exception {
    Comparison comparison = new Comparison();
    comparison.add("slapd-4", "modify-each", report(JobKind.MODIFY_EACH, 16, 400, Map.of()));
    comparison.add("nyala", "modify-each", report(JobKind.MODIFY_EACH, 16, 40, Map.of()));
    ComparisonReport report = new ComparisonReport(comparison);
    report.fact("disk", "fast");

    assertThat(report.markdown())
        .contains(
            "| disk | fast |",
            "| below 50 µs | 100 | 25.0 | 10 | 25.0 |",
            "| below 2 ms | 300 | 75.0 | 30 | 75.0 |");
    JSONObject json = new JSONObject(report.json().toString());
    assertThat(json.getFieldAsArray("results")).hasSize(2);
    assertThat(report.json().toString())
        .contains("\"measured\":\"modify-each\"", "{\"belowMicros\":50.000,\"count\":100}");
  }

  @Test
  void shouldHaveTheSettingsOfTheServerInEveryForm() throws Exception {
    Comparison comparison = new Comparison();
    comparison.add("nyala", "bind", report(JobKind.BIND, 4, 1, Map.of()));
    ComparisonReport report = new ComparisonReport(comparison);
    report.fact(ComparisonReport.SETTINGS, "password.upgradeAtBind = false");
    report.fact(ComparisonReport.LOGINS, "leave the hashes");

    String name = "settings of Nyala that are not the default";
    assertThat(report.markdown())
        .contains("| " + name + " | password.upgradeAtBind = false |")
        .contains("| logins of Nyala | leave the hashes |");
    JSONObject facts = new JSONObject(report.json().toString()).getFieldAsObject("facts");
    assertThat(facts.getFieldAsString(name)).isEqualTo("password.upgradeAtBind = false");
    assertThat(facts.getFieldAsString("logins of Nyala")).isEqualTo("leave the hashes");
    try (RenderedPage page = new RenderedPage(ReportPage.of(report.json()))) {
      assertThat(page.text()).contains(name, "password.upgradeAtBind = false", "leave the hashes");
    }
  }

  @Test
  void shouldNameErrorsAndBelieveNoServerThatHasSome() {
    Comparison comparison = new Comparison();
    comparison.add("slapd-4", "vlv", report(JobKind.VLV, 4, 1, Map.of("resultCode51", 2L)));
    comparison.add("nyala", "vlv", report(JobKind.VLV, 4, 1, Map.of()));

    assertThat(comparison.isRight("nyala")).isTrue();
    assertThat(comparison.isRight("")).isFalse();
    assertThat(new ComparisonReport(comparison).markdown())
        .contains("Errors of slapd-4 vlv 4: {resultCode51=2}");

    comparison.add("nyala", "vlv", report(JobKind.VLV, 4, 1, Map.of("wrongAnswer", 1L)));
    assertThat(comparison.isRight("nyala")).isFalse();
  }

  @Test
  void shouldSelectJobsByName() throws Exception {
    assertThat(ComparisonStep.of(List.of())).isEqualTo(ComparisonStep.all());
    assertThat(ComparisonStep.of(List.of("vlv", "modify")))
        .extracting(step -> step.parts().getFirst().kind())
        .containsExactly(JobKind.VLV, JobKind.MODIFY, JobKind.MODIFY, JobKind.MODIFY);
    for (JobKind job : List.of(JobKind.SEARCH, JobKind.MODIFY_EACH, JobKind.PAGED)) {
      assertThat(ComparisonStep.of(List.of(job.label()))).as(job.label()).isNotEmpty();
    }
    assertThat(ComparisonStep.of(List.of("mixed"))).hasSize(2);
    assertThatThrownBy(() -> ComparisonStep.of(List.of("modify", "swim")))
        .isInstanceOf(LoadTestException.class)
        .hasMessageContaining("[swim]")
        .hasMessageContaining("modify-each");
  }

  @Test
  void shouldMeasureTheDiskAndLeaveNothing(@TempDir Path directory) throws Exception {
    DiskProbe probe = DiskProbe.measure(directory);

    assertThat(probe.fileSystem()).isNotEmpty();
    assertThat(probe.medianMicros()).isPositive().isLessThanOrEqualTo(probe.p99Micros());
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldPutTimesIntoTheirRows() {
    Histogram latency = new Histogram(3);
    latency.recordValue(49_000);
    latency.recordValue(51_000);
    latency.recordValue(20_000_000_000L);

    LatencyTable table = LatencyTable.of(latency);

    assertThat(table.count(0)).isEqualTo(1);
    assertThat(table.count(1)).isEqualTo(1);
    assertThat(table.count(LatencyTable.ROWS - 1)).isEqualTo(1);
    assertThat(table.total()).isEqualTo(3);
    assertThat(table.text()).contains("below 50 µs", "below 10 s", "longer");
  }
}
