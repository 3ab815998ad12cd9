package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.LDAPMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.loadtest.cli.KneeRun;
import org.nyala.loadtest.report.ReportText;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadRate;

/** Operations that got no answer are counted once each, with the time that they were waited for. */
@Timeout(300)
class UnansweredTest {
  private static final long HANG_MILLIS = 700;

  private final CountDownLatch never = new CountDownLatch(1);

  /** Hangs every tenth request, and closes the connection then. */
  private void hangAndClose(LDAPMessage request, int number, OutputStream out) throws Exception {
    if (number % 10 == 9) {
      assertThat(never.await(HANG_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
      throw new IOException("closed on purpose");
    }
    out.write(StubServer.right(request));
  }

  @Test
  void shouldCountTheTimeOfOperationsThatWereCutOff() throws Exception {
    LoadReport report = StubServer.run(this::hangAndClose, 40, 1, 0, new LoadRate(200, 1, 60, 1));

    long interrupted = report.errors().get("interrupted");
    assertThat(interrupted).isGreaterThan(10);
    long hung = TimeUnit.MILLISECONDS.toNanos(HANG_MILLIS - 50);
    assertThat(report.corrected().getValueAtPercentile(99)).isGreaterThan(hung);
    assertThat(report.uncorrected().getCountBetweenValues(hung, Long.MAX_VALUE / 2))
        .isGreaterThanOrEqualTo(interrupted);
    assertThat(report.corrected().getTotalCount()).isEqualTo(report.operations() + interrupted);
  }

  @Test
  void shouldCountTheTimeOfOperationsThatWereCutOffInAClosedLoop() throws Exception {
    LoadReport report = StubServer.run(this::hangAndClose, 4, 1, 0, new LoadRate(0, 1, 60, 1));

    assertThat(report.errors().get("interrupted")).isPositive();
    assertThat(report.latencyMicros(100)).isGreaterThan(1000 * (HANG_MILLIS - 50));
  }

  /** Requests that are never answered would make a server look fast if they were left out. */
  @Test
  void shouldCountTheTimeOfOperationsThatTimeOutAfterTheEndOfAClosedLoop() throws Exception {
    LoadReport report =
        StubServer.run(
            (request, number, out) -> {
              if (number < 20) {
                out.write(StubServer.right(request));
              }
            },
            4,
            0.5,
            0,
            new LoadRate(0, 1, 1, 1));

    assertThat(report.operations()).isEqualTo(20);
    assertThat(report.timeOuts()).isEqualTo(4);
    assertThat(report.corrected().getTotalCount()).isEqualTo(24);
    assertThat(report.latencyMicros(99)).isGreaterThan(900_000);
  }

  @Test
  void shouldReportNoMoreThanWasDue() throws Exception {
    int connections = 8;
    AtomicInteger accepted = new AtomicInteger();
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          if (accepted.incrementAndGet() > 40) {
            assertThat(never.await(10, TimeUnit.SECONDS)).isFalse();
          }
          out.write(StubServer.right(request));
        };

    LoadReport report =
        StubServer.run(behaviour, connections, 0.5, 0, new LoadRate(400, 1, 1.2, 1));

    assertThat(report.operations() + report.errorCount()).isBetween(199L, 201L);
    assertThat(report.corrected().getTotalCount())
        .isEqualTo(report.operations() + report.errorCount());
  }

  /** Clients whose connections are not accepted any more have no request to be answered. */
  @Test
  void shouldNotCountClientsThatAreNotConnectedAtTheEnd() throws Exception {
    StubServer[] server = new StubServer[1];
    try (StubServer closing =
        StubServer.start(
            (request, number, out) -> {
              if (number >= 40) {
                server[0].close();
                throw new IOException("closed on purpose");
              }
              out.write(StubServer.right(request));
            })) {
      server[0] = closing;
      LoadReport report =
          LoadRun.run(closing.settings(JobKind.SEARCH, 8, 0.5, new LoadRate(400, 1, 0.5, 1)));

      long ofOperations =
          report.operations()
              + report.errors().getOrDefault("interrupted", 0L)
              + report.errors().getOrDefault("unanswered", 0L)
              + report.errors().get("notStarted");
      assertThat(ofOperations).as("%s", report.errors()).isBetween(199L, 201L);
      assertThat(report.errors()).doesNotContainKey("unanswered");
    }
  }

  /** A client that reconnects ten times a second does not lose ten connections a second. */
  @Test
  void shouldTellFailedOperationsFromLostConnections() throws Exception {
    StubServer[] server = new StubServer[1];
    try (StubServer closing =
        StubServer.start(
            (request, number, out) -> {
              if (number >= 40) {
                server[0].close();
                throw new IOException("closed on purpose");
              }
              out.write(StubServer.right(request));
            })) {
      server[0] = closing;
      LoadReport report =
          LoadRun.run(closing.settings(JobKind.SEARCH, 8, 0.8, new LoadRate(400, 1, 0.5, 1)));

      assertThat(report.lostConnections()).isEqualTo(8);
      assertThat(report.operations() + report.failedOperations()).isBetween(319L, 321L);
      assertThat(report.measuredFailed()).isEqualTo(report.failedOperations());
      assertThat(report.failedShare()).isBetween(0.8, 0.9);
      assertThat(ReportText.of(report))
          .contains("failed operations: " + report.failedOperations() + ", lost connections: 8 {");
    }
  }

  /** Failures in the warm-up say nothing about the measured rate. */
  @Test
  void shouldNotBlameAWarmUpOnARate() throws Exception {
    StubServer.Behaviour behaviour =
        (request, number, out) ->
            out.write(
                number < 20
                    ? StubServer.answer(request.getMessageID())
                    : StubServer.right(request));
    try (StubServer server = StubServer.start(behaviour)) {
      LoadReport report =
          LoadRun.run(
              server.settings(JobKind.SEARCH, 4, 1, new LoadRate(200, 1, 60, 1)).lasting(0.5, 1));

      assertThat(report.failedOperations()).isEqualTo(20);
      assertThat(report.measuredFailed()).isZero();
      assertThat(KneeRun.sample(report).errorPercent()).isZero();
    }
  }
}
