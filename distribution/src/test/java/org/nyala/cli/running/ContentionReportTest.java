package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONValue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nyala.cli.running.ContentionCommand.ContentionReport;
import org.nyala.core.contention.Counts;
import org.nyala.management.bean.ContentionMXBean.Measurement;
import org.nyala.management.bean.LockWaits;
import org.nyala.server.TextTable;

class ContentionReportTest {
  private static final Counts COUNTS =
      new Counts(
          10_000_000_000L,
          List.of(
              new Counts.Lock("hash pool: queue lock", 3, 0, 0, 3_000),
              new Counts.Lock(
                  "shared queue: queue lock", 400_000, 41_572, 1_500_000_000, 800_000_000)),
          List.of(
              new Counts.Wait("writer: queue", 0, 0, 1, 0, 0),
              new Counts.Wait(
                  "shared queue: queue", 200_000, 17_090, 18_389, 4_000_000_000L, 9_500_000)));

  private static final List<LockWaits.Wait> RECORDED =
      List.of(
          new LockWaits.Wait("io.netty.X.get (ReentrantLock)", LockWaits.Kind.LOCK, 7, 2_000_000),
          new LockWaits.Wait("org.nyala.Y.put (\"Z\")", LockWaits.Kind.MONITOR, 9, 1_000_000));

  private static ContentionReport report(int top, boolean complete, String... strategies) {
    return new ContentionReport(
        new Measurement(1, false, List.of(strategies), 2, 200_000, 0, COUNTS),
        RECORDED,
        complete,
        top);
  }

  @Test
  void shouldPrintTheMostContendedFirst() {
    assertThat(report(10, true, "single-queue").lines())
        .containsExactly(
            "strategy    single-queue",
            "measured    10.0 s, processors 2, operations 200000",
            "",
            "Locks by number of waits",
            "  site                                 source   count  contended  contended ms  total ms  average ms",
            "  shared queue: queue lock            counter  400000      41572      1500.000   800.000    0.002000",
            "  org.nyala.Y.put (\"Z\")           jfr monitor       -          9         1.000         -           -",
            "  io.netty.X.get (ReentrantLock)     jfr lock       -          7         2.000         -           -",
            "  hash pool: queue lock               counter       3          0         0.000     0.003    0.001000",
            "",
            "Waits in queues and for permits, by time",
            "  site                  waits  signals  sleeps  total ms  average ms  longest ms",
            "  shared queue: queue  200000    17090   18389  4000.000    0.020000       9.500",
            "  writer: queue             0        0       1     0.000           -       0.000");
  }

  @Test
  void shouldShowNoMoreRowsThanWanted() {
    List<String> lines = report(1, false, "single-queue", "striped").lines();
    assertThat(lines.getFirst()).isEqualTo("strategy    single-queue, then striped");
    assertThat(lines)
        .contains(
            "Locks by number of waits (1 of 4)",
            "Waits in queues and for permits, by time (1 of 2)")
        .noneMatch(line -> line.contains("hash pool"))
        .noneMatch(line -> line.contains("writer"));
    assertThat(lines.getLast()).contains("lacks its beginning");
  }

  @Test
  void shouldSayWhereThereIsNothing() {
    Measurement nothing =
        new Measurement(
            1, false, List.of("adaptive"), 2, 0, 0, new Counts(1, List.of(), List.of()));
    assertThat(new ContentionReport(nothing, List.of(), true, 10).lines())
        .containsSubsequence(
            "Locks by number of waits",
            "  none",
            "Waits in queues and for permits, by time",
            "  none");
  }

  @Test
  void shouldWriteJsonWithNullForWhatNobodyKnows() throws Exception {
    JSONObject json = new JSONObject(report(3, true, "single-queue").json());
    assertThat(json.getFieldAsArray("strategies"))
        .extracting(JSONValue::toString)
        .containsExactly("\"single-queue\"");
    assertThat(json.getFieldAsBigDecimal("seconds")).isEqualByComparingTo("10");
    assertThat(json.getFieldAsInteger("processors")).isEqualTo(2);
    assertThat(json.getFieldAsLong("operations")).isEqualTo(200_000);
    assertThat(json.getFieldAsBoolean("complete")).isTrue();
    assertThat(json.getFieldAsInteger("lockSites")).isEqualTo(4);
    assertThat(json.getFieldAsInteger("waitSites")).isEqualTo(2);
    assertThat(json.getFieldAsArray("locks")).hasSize(3);
    assertThat(json.getFieldAsArray("locks").getFirst())
        .isEqualTo(
            new JSONObject(
                "{'site':'shared queue: queue lock','source':'counter','count':400000,'contended':41572,'contendedMillis':1500,'totalMillis':800,'averageMillis':0.002}"
                    .replace('\'', '"')));
    assertThat(json.getFieldAsArray("locks").get(1))
        .isEqualTo(
            new JSONObject(
                "{'site':'org.nyala.Y.put (\\'Z\\')','source':'jfr monitor','count':null,'contended':9,'contendedMillis':1,'totalMillis':null,'averageMillis':null}"
                    .replace('\'', '"')));
    assertThat(json.getFieldAsArray("waits"))
        .containsExactly(
            new JSONObject(
                "{'site':'shared queue: queue','waits':200000,'signals':17090,'sleeps':18389,'totalMillis':4000,'averageMillis':0.02,'longestMillis':9.5}"
                    .replace('\'', '"')),
            new JSONObject(
                "{'site':'writer: queue','waits':0,'signals':0,'sleeps':1,'totalMillis':0,'averageMillis':null,'longestMillis':0}"
                    .replace('\'', '"')));
  }

  @Test
  void shouldAlignTheFirstColumnToTheLeftAndTheOthersToTheRight() {
    TextTable table = new TextTable("site", "count");
    assertThat(table.lines()).containsExactly("  none");
    table.add("a", "1000000");
    table.add("longer", "5");
    assertThat(table.lines())
        .containsExactly("  site      count", "  a       1000000", "  longer        5");
    assertThatIllegalArgumentException().isThrownBy(() -> table.add("alone"));
  }
}
