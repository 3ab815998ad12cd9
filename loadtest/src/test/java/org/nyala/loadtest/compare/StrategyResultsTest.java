package org.nyala.loadtest.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.compare.StrategyResults.Cell;
import org.nyala.loadtest.compare.StrategyResults.Sample;
import org.nyala.loadtest.format.RenderedPage;
import org.nyala.loadtest.format.ReportPage;
import org.nyala.loadtest.result.ClosedLoopReport;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;

class StrategyResultsTest {
  private static final Cell CELL = new Cell(Scenario.CHEAP_16, "workers = 2");

  private final StrategyResults results = new StrategyResults();

  /** So many operations in two seconds that take a millisecond each. */
  private static Sample sample(long operations, long micros, Map<String, Long> errors) {
    return sample(operations, micros, errors, 0);
  }

  private static Sample sample(
      long operations, long micros, Map<String, Long> errors, double stolen) {
    LoadSettings settings =
        new LoadSettings(
            JobKind.SEARCH,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1389),
            16,
            1,
            TestDuration.of(2, 0),
            People.of(10),
            Account.ANONYMOUS,
            0,
            JobOptions.DEFAULT);
    Histogram latency = new Histogram(3);
    latency.recordValue(micros * 1000);
    LoadReport report = ClosedLoopReport.of(settings, 2, operations, errors, latency, 0);
    return new Sample(List.of(report), 3, 4, 0.5, stolen);
  }

  @Test
  void shouldCompareMediansOfTheUndisturbedRoundsWithTheBest() {
    double[] stolen = {0, 0.4, 0.1, 0.2};
    long[] rounds = {800, 100, 1000, 5000};
    for (int round = 0; round < rounds.length; round++) {
      results.add(CELL, "adaptive", sample(rounds[round], 2000, Map.of(), stolen[round]));
      results.add(CELL, "striped", sample(rounds[round] * 2, 1000, Map.of(), stolen[round]));
    }
    assertThat(results.markdown())
        .contains("## cheap-16: 16 search, workers = 2")
        .contains("| adaptive | 450 | 0.50 | 0 |")
        .contains("| striped | 900 | 1.00 | 0 |")
        .contains("| 3.0 | 4.0 | 0.500 | 225 | 0.050 | 0 |")
        .contains("| cheap-16 workers = 2 | 0.50 (0.50, 0.50 - 0.50) | striped | 2.00 (2.00, ");
    assertThat(results.errors()).isZero();
  }

  @Test
  void shouldCompareWithinTheRoundsFromWhichTheHostTookLeast() {
    double[] stolen = {0, 0.5, 0.1, 0.5};
    long[] adaptive = {100, 1, 300, 1};
    long[] striped = {200, 9, 300, 9};
    for (int round = 0; round < stolen.length; round++) {
      results.add(CELL, "adaptive", sample(adaptive[round], 1000, Map.of(), stolen[round]));
      results.add(CELL, "striped", sample(striped[round], 1000, Map.of(), stolen[round]));
    }
    assertThat(results.markdown())
        .contains("| 0.80 (0.75, 0.50 - 1.00) | striped | 1.00 (1.00, 1.00 - 1.00) | striped |");
  }

  @Test
  void shouldCompareWithEachOfTheOthersWithinAllRounds() {
    long[] adaptive = {100, 300, 50};
    long[] striped = {200, 300, 100};
    for (int round = 0; round < adaptive.length; round++) {
      results.add(CELL, "adaptive", sample(adaptive[round], 3000, Map.of()));
      results.add(CELL, "striped", sample(striped[round], 1500, Map.of()));
      results.add(CELL, "lightweight", sample(striped[0], 3000, Map.of()));
    }
    assertThat(results.markdown())
        .contains("| cheap-16 workers = 2 | striped | 0.50 | 2.00 |")
        .contains("| cheap-16 workers = 2 | lightweight | 0.50 | 1.00 |");
  }

  @Test
  void shouldTurnTheOrderSoThatNoStrategyAlwaysFollowsTheSameOne() {
    List<String> all = List.of("one", "two", "three");
    assertThat(StrategiesCommand.inTurn(all, 1)).containsExactly("two", "three", "one");
    assertThat(StrategiesCommand.inTurn(all, 2)).containsExactly("two", "one", "three");
    assertThat(StrategiesCommand.inTurn(all, 3)).containsExactly("one", "two", "three");
  }

  @Test
  void shouldShowTheStrategyThatIsAloneWithoutComparison() {
    results.add(CELL, "adaptive", sample(10, 1, Map.of()));
    assertThat(results.markdown())
        .contains("| adaptive | 5 | 1.00 |")
        .contains("|---|--:|--:|--:|--:|\n\n## adaptive against each of the others")
        .endsWith("|---|--:|--:|--:|\n");
  }

  @Test
  void shouldCountErrorsAndWriteEveryMeasurementAsJson() {
    results.fact("cores", "2");
    results.add(CELL, "striped", sample(10, 1, Map.of("wrongAnswer", 3L)));
    results.add(CELL, "striped", sample(12, 1, Map.of()));
    assertThat(results.errors()).isEqualTo(3);
    assertThat(results.json().toString())
        .startsWith("{\"facts\":{\"cores\":\"2\"}")
        .contains("\"regime\":\"cheap-16\"", "\"strategy\":\"striped\"")
        .contains("\"round\":2")
        .contains("\"pollsPerOperation\":0.500");
  }

  private void add(Scenario regime) {
    results.add(new Cell(regime, ""), "single-queue", sample(2000, 500, Map.of()));
    results.add(new Cell(regime, ""), "load-conditioned", sample(2300, 400, Map.of()));
  }

  @Test
  void shouldDrawTheExperimentOf2005() throws Exception {
    add(Scenario.CHEAP_10000);
    add(Scenario.CHEAP_128);

    try (RenderedPage page = new RenderedPage(ReportPage.of(results.json()))) {
      assertThat(page.text())
          .contains("does it help to read no more than workers can take?")
          .contains("load-conditioned\t1,150\t0\t400 µs");
      assertThat(page.legends())
          .startsWith(
              "single-queue, searches/s",
              "load-conditioned, searches/s",
              "single-queue, polls/s",
              "load-conditioned, polls/s");
      assertThat(page.charts()).as("one picture, four charts of bars a load").isEqualTo(1 + 2 * 4);
    }
  }

  @Test
  void shouldDrawOtherLoadsWithBarsOnly() throws Exception {
    add(Scenario.SCANS);

    try (RenderedPage page = new RenderedPage(ReportPage.of(results.json()))) {
      assertThat(page.legends()).isEmpty();
      assertThat(page.charts()).isEqualTo(4);
    }
  }
}
