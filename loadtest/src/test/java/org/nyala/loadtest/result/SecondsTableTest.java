package org.nyala.loadtest.result;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SecondsTableTest {
  private static Histogram histogram() {
    Histogram nanos = new Histogram(3);
    nanos.recordValueWithCount(300_000_000L, 29);
    nanos.recordValueWithCount(1_500_000_000L, 59);
    nanos.recordValueWithCount(2_100_000_000L, 2);
    nanos.recordValueWithCount(42_100_000_000L, 10);
    return nanos;
  }

  @Test
  void shouldCountWholeSeconds() {
    SecondsTable table = new SecondsTable(SecondsTable.Unit.SECONDS, histogram(), 7);

    assertThat(table.text())
        .isEqualTo(
            """
              secs  # of occurrences  % of total queries
                 0                29                  29
                 1                59                  59
                 2                 2                   2
                42                10                  10
            Total number of queries: 100
            Average response time: 5.22 secs
            Queries that timed out: 7
            """);
    assertThat(table.json())
        .hasToString("{\"unit\":\"seconds\",\"rows\":[[0,29],[1,59],[2,2],[42,10]]}");
  }

  @Test
  void shouldCountMilliseconds() {
    SecondsTable table = new SecondsTable(SecondsTable.Unit.MILLIS, histogram(), 0);

    assertThat(table.json().get("rows").getAsJsonArray().get(0)).hasToString("[300,29]");
    assertThat(table.text()).startsWith(" msecs ");
  }

  @Test
  void shouldShowThatNothingWasMeasured() {
    SecondsTable table = new SecondsTable(SecondsTable.Unit.SECONDS, new Histogram(3), 3);

    assertThat(table.text()).contains("Total number of queries: 0", "timed out: 3");
  }
}
