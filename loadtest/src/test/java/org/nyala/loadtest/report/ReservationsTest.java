package org.nyala.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.GcPauses;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.result.ResourceUse;
import org.nyala.loadtest.result.Resources;
import org.nyala.loadtest.result.Throughput;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;

/** The verdict of a report, and what limits trust in it. */
class ReservationsTest {
  private static final int CORES = Runtime.getRuntime().availableProcessors();

  private static IntervalSample interval(Disturbance disturbance, double busyCores) {
    IntervalSample.Times times = IntervalSample.Times.NONE;
    return new IntervalSample(
        0,
        1,
        false,
        1,
        1,
        Map.of(),
        times,
        times,
        -1,
        0,
        -1,
        disturbance,
        GcPauses.NONE,
        busyCores);
  }

  private static LoadReport report(
      int operations, double clientSeconds, List<IntervalSample> intervals) {
    LoadSettings settings =
        new LoadSettings(
            JobKind.SEARCH,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
            2,
            2,
            TestDuration.of(10, 0),
            People.of(1),
            Account.ANONYMOUS,
            0,
            JobOptions.DEFAULT);
    Histogram nanos = new Histogram(3);
    nanos.recordValueWithCount(1_000_000, operations);
    ResourceUse unknown = new ResourceUse(-1, -1, -1, -1);
    ResourceUse client = new ResourceUse((long) (clientSeconds * 1e9), -1, -1, -1);
    return new LoadReport(
        settings,
        10,
        operations,
        operations,
        new Throughput(10, operations, operations),
        operations,
        Map.of(),
        0,
        nanos,
        nanos,
        operations,
        new Resources(unknown, client, GcPauses.NONE),
        intervals,
        List.of(),
        "",
        Map.of(),
        List.of());
  }

  private static List<IntervalSample> calm(int number, double busyCores) {
    return Collections.nCopies(number, interval(Disturbance.NONE, busyCores));
  }

  @Test
  void shouldSayThatNothingIsToBeSaid() {
    assertThat(Verdict.of(report(20_000, 10, calm(10, 0.1))))
        .isEqualTo(
            "search: 2,000 operations/s, half of them within 1 ms and 99 of 100 within 1 ms;"
                + " nothing failed; nothing disturbed the load tester, and the machine was not at"
                + " its limit.");
    assertThat(Reservations.of(report(20_000, 10, calm(10, Double.NaN))).all()).isEmpty();
    assertThat(Reservations.of(report(20_000, 10, List.of())).all()).isEmpty();
  }

  @Test
  void shouldSayThatThereWereFewDisturbances() {
    List<IntervalSample> intervals = new java.util.ArrayList<>(calm(19, 0.1));
    intervals.add(interval(new Disturbance(0, 30, 0), 0.1));
    assertThat(Reservations.of(report(20_000, 10, intervals)).all())
        .containsExactly("the load tester was disturbed in 1 of 20 intervals");
  }

  @Test
  void shouldSayThatThereWereManyDisturbances() {
    List<IntervalSample> intervals =
        List.of(interval(Disturbance.NONE, 0), interval(new Disturbance(0, 30, 0), 0));
    assertThat(Reservations.of(report(20_000, 10, intervals)).all())
        .singleElement()
        .asString()
        .startsWith("this machine was too busy");
  }

  @Test
  void shouldSayThatTheLoadTesterIsTheLimit() {
    assertThat(Reservations.of(report(20_000, 19, calm(10, 0.1))).all())
        .containsExactly(
            "the load tester used 1.90 processors for its 2 event loops, and may be the limit"
                + " itself");
  }

  @Test
  void shouldSayThatTheMachineIsTheLimit() {
    assertThat(Reservations.of(report(20_000, 10, calm(10, CORES))).all())
        .singleElement()
        .asString()
        .contains("of this machine")
        .endsWith("in use (100 %), so that the machine is part of the limit");
    assertThat(Reservations.of(report(20_000, 10, calm(10, 0.9 * CORES))).all()).isEmpty();
  }

  @Test
  void shouldSayThatThereAreFewOperations() {
    assertThat(Reservations.of(report(999, 10, calm(10, 0.1))).text())
        .isEqualTo("999 operations are few for the 99th percentile");
    assertThat(Reservations.of(report(1, 10, calm(10, 0.1))).text())
        .isEqualTo("1 operation is few for the 99th percentile");
    assertThat(Reservations.of(report(1000, 10, calm(10, 0.1))).all()).isEmpty();
  }
}
