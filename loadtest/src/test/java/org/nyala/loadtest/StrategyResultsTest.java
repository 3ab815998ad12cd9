package org.nyala.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.StrategyResults.Cell;
import org.nyala.loadtest.StrategyResults.Sample;

class StrategyResultsTest {
  private static final Cell CELL = new Cell(Regime.CHEAP_16, "workers = 2");

  private final StrategyResults results = new StrategyResults();

  /** So many operations in two seconds that take a millisecond each. */
  private static Sample sample(long operations, long micros, Map<String, Long> errors) {
    LoadSettings settings =
        new LoadSettings(
            JobKind.SEARCH,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1389),
            16,
            1,
            2,
            0,
            0,
            LoadSettings.DEFAULT_BASE,
            LoadSettings.DEFAULT_PEOPLE,
            10,
            "",
            "",
            0,
            JobOptions.DEFAULT);
    Histogram latency = new Histogram(3);
    latency.recordValue(micros * 1000);
    LoadReport report =
        new LoadReport(
            settings, 2, operations, operations, operations, errors, latency, operations, 0, 0);
    return new Sample(List.of(report), 3, 4, 0.5);
  }

  @Test
  void shouldCompareMediansWithTheBest() {
    for (long operations : new long[] {100, 900, 1000}) {
      results.add(CELL, "adaptive", sample(operations, 2000, Map.of()));
      results.add(CELL, "striped", sample(operations * 2, 1000, Map.of()));
    }
    assertThat(results.markdown())
        .contains("## cheap-16: 16 search, workers = 2")
        .contains("| adaptive | 450 | 0.50 | 0 |")
        .contains("| striped | 900 | 1.00 | 0 |")
        .contains("| 3.0 | 4.0 | 0.500 | 225 | 0 |")
        .contains("| cheap-16 workers = 2 | 0.50 | striped | 2.0");
    assertThat(results.errors()).isZero();
  }

  @Test
  void shouldShowTheStrategyThatIsAloneWithoutComparison() {
    results.add(CELL, "adaptive", sample(10, 1, Map.of()));
    assertThat(results.markdown())
        .contains("| adaptive | 5 | 1.00 |")
        .endsWith("|---|---|---|---|---|\n");
  }

  @Test
  void shouldCountErrorsAndWriteEveryMeasurementAsJson() {
    results.fact("cores", "2");
    results.add(CELL, "striped", sample(10, 1, Map.of("wrongAnswer", 3L)));
    results.add(CELL, "striped", sample(12, 1, Map.of()));
    assertThat(results.errors()).isEqualTo(3);
    assertThat(results.json())
        .startsWith("{\"facts\":{\"cores\":\"2\"}")
        .contains("\"regime\":\"cheap-16\"", "\"strategy\":\"striped\"")
        .contains("\"round\":2")
        .contains("\"pollsPerOperation\":0.500");
  }
}
