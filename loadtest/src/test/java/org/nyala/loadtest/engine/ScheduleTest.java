package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.Arrivals;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadFlow;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.RateProfile;
import org.nyala.loadtest.workload.ThinkTime;

/** A fixed rate is kept by the clock, whatever the server does. */
@Timeout(300)
class ScheduleTest {
  private static final int CONNECTIONS = 4;

  /** A pause delays all operations that are due in it: the point of a schedule. */
  @Test
  void shouldSeeStallsInTimesFromTheIntendedStartOnly() throws Exception {
    long stallMillis = 600;
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch[] stall = {new CountDownLatch(1)};
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          if (number >= 300 && number < 300 + CONNECTIONS) {
            if (number == 300) {
              assertThat(never.await(stallMillis, TimeUnit.MILLISECONDS)).isFalse();
              stall[0].countDown();
            }
            stall[0].await();
          }
          out.write(StubServer.right(request));
        };

    LoadReport report =
        StubServer.run(behaviour, CONNECTIONS, 1.5, 0, new LoadRate(1000, 1, 60, 1));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isBetween(1498L, 1502L);
    assertThat(report.corrected().getTotalCount()).isEqualTo(report.operations());
    assertThat(report.uncorrected().getTotalCount()).isEqualTo(report.operations());
    long late = TimeUnit.MILLISECONDS.toNanos(stallMillis / 2);
    long most = report.corrected().getMaxValue();
    long lateFromIntent = report.corrected().getCountBetweenValues(late, most);
    assertThat(lateFromIntent).isGreaterThan(200);
    assertThat(report.corrected().getValueAtPercentile(90)).isGreaterThan(late);
    // One for each connection, and one more for each time that the machine itself stands still.
    assertThat(report.uncorrected().getCountBetweenValues(late, most))
        .isLessThan(lateFromIntent / 2);
    assertThat(report.uncorrected().getValueAtPercentile(90)).isLessThan(late);
  }

  /** The schedule's own lateness would look like the server's. */
  @Test
  void shouldBeginSeldomOperationsWhenTheyAreDue() throws Exception {
    long start = System.nanoTime();
    long half;
    // A machine that has much else to do makes them late as well, but not for ever.
    do {
      LoadReport report =
          StubServer.run(
              (request, _, out) -> out.write(StubServer.right(request)),
              CONNECTIONS,
              2,
              0,
              new LoadRate(13, 1, 60, 1));
      assertThat(report.errors()).isEmpty();
      assertThat(report.operations()).isBetween(25L, 27L);
      half = report.corrected().getValueAtPercentile(50);
      assertThat(System.nanoTime() - start)
          .as("half were late by %d ns", half)
          .isLessThan(TimeUnit.SECONDS.toNanos(120));
      // At a fixed rate that does not fit half of them would be late by 25 ms, each time.
    } while (half >= TimeUnit.MILLISECONDS.toNanos(15));
  }

  /** Operations left over from the warm-up would delay those after it. */
  @Test
  void shouldNotCatchUpWithTheWarmUp() throws Exception {
    double rate = 1000;
    AtomicInteger asked = new AtomicInteger();
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch stall = new CountDownLatch(1);
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          asked.incrementAndGet();
          if (number >= 100 && number < 100 + CONNECTIONS) {
            if (number == 100) {
              assertThat(never.await(1500, TimeUnit.MILLISECONDS)).isFalse();
              stall.countDown();
            }
            stall.await();
          }
          out.write(StubServer.right(request));
        };

    LoadReport report;
    try (StubServer server = StubServer.start(behaviour)) {
      LoadSettings settings =
          server.settings(JobKind.SEARCH, CONNECTIONS, 1, new LoadRate(rate, 1, 60, 1));
      report = LoadRun.run(settings.lasting(1, 1));
    }

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isBetween(998L, 1002L);
    assertThat(asked).as("not what was due while it stood still").hasValueLessThan(1500);
  }

  @Test
  void shouldAccountForEveryOperationOfAScheduleThatNobodyHolds() throws Exception {
    LoadReport report = StubServer.run((_, _, _) -> {}, 1, 0.5, 0, new LoadRate(200, 1, 0.2, 1));

    assertThat(report.operations()).isZero();
    assertThat(report.errors().get("notStarted")).isPositive();
    long accounted =
        report.timeOuts()
            + report.errors().get("notStarted")
            + report.errors().getOrDefault("unanswered", 0L);
    assertThat(accounted).isBetween(99L, 101L);
    assertThat(report.corrected().getMaxValue()).isGreaterThan(400_000_000L);
  }

  @Test
  void shouldBeginAsManyOperationsAsTheScheduleHas() throws Exception {
    LoadReport report =
        StubServer.run(
            (request, _, out) -> out.write(StubServer.right(request)),
            3,
            3,
            0,
            new LoadRate(500, 1, 60, 0.1));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isBetween(1499L, 1501L);
    // Some thirty; none begins sooner than a tenth of a second after the one before.
    assertThat(report.intervals().size()).isBetween(3, (int) (report.seconds() / 0.1) + 3);
    assertThat(report.intervals().stream().mapToLong(IntervalSample::operations).sum())
        .isEqualTo(report.operations());
  }

  /** Seeds say how many operations there are, and bursts among them are no errors. */
  @Test
  void shouldBeginTheOperationsOfAPoissonProcess() throws Exception {
    LoadFlow flow = new LoadFlow(true, 7, RateProfile.STEADY, ThinkTime.NONE);
    LoadRate pace = new LoadRate(400, 1, 60, 1, flow);

    LoadReport report =
        StubServer.run(
            (request, _, out) -> out.write(StubServer.right(request)), CONNECTIONS, 2, 0, pace);

    LoadSettings settings = report.settings();
    Arrivals arrivals = Objects.requireNonNull(settings.arrivals(0));
    long expected =
        LongStream.range(0, 2000).filter(n -> arrivals.nanos(n) < 2_000_000_000L).count();
    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(expected).isNotEqualTo(800);
  }

  @Test
  void shouldBeginTheOperationsOfSteps() throws Exception {
    RateProfile steps = RateProfile.steps("50:1s,400:1s");
    LoadFlow flow = new LoadFlow(false, 0, steps, ThinkTime.NONE);
    LoadRate pace = new LoadRate(steps.meanRate(), 1, 60, 1, flow);

    LoadReport report =
        StubServer.run(
            (request, _, out) -> out.write(StubServer.right(request)), CONNECTIONS, 2, 0, pace);

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isBetween(449L, 451L);
  }

  /** A client that thinks for a tenth of a second does ten operations a second at most. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldThinkBetweenOperations(boolean isExponential) throws Exception {
    LoadFlow flow = new LoadFlow(false, 0, RateProfile.STEADY, new ThinkTime(0.1, isExponential));
    LoadRate pace = new LoadRate(0, 1, 60, 1, flow);
    AtomicInteger asked = new AtomicInteger();

    long start = System.nanoTime();
    LoadReport report =
        StubServer.run(
            (request, _, out) -> {
              asked.incrementAndGet();
              out.write(StubServer.right(request));
            },
            CONNECTIONS,
            2,
            0,
            pace);
    double seconds = (System.nanoTime() - start) / 1e9;

    assertThat(report.errors()).isEmpty();
    // Exponential times of the fixed seeds are shorter by chance, but not by half.
    double most = CONNECTIONS * (seconds / 0.1 + 1) * (isExponential ? 2 : 1);
    assertThat(report.operations()).isBetween(4L, (long) most);
    assertThat(asked.get()).isBetween(4, (int) most);
  }

  /** Clients whose thoughts outlast the test end with it. */
  @Test
  void shouldEndClientsThatStillThink() throws Exception {
    LoadFlow flow = new LoadFlow(false, 0, RateProfile.STEADY, new ThinkTime(100_000, false));

    LoadReport report =
        StubServer.run(
            (request, _, out) -> out.write(StubServer.right(request)),
            CONNECTIONS,
            0.5,
            0,
            new LoadRate(0, 1, 60, 1, flow));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isZero();
    assertThat(report.seconds()).isLessThan(60);
  }
}
