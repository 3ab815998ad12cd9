package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.LDAPMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.loadtest.cli.KneeRun;
import org.nyala.loadtest.report.ReportText;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;

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
    LoadReport report = StubServer.run(this::hangAndClose, 4, 200, 10, new LoadRate(0, 1, 60, 1));

    // Those that were cut off are sent once more, which makes 44 requests.
    assertThat(report.errors().get("interrupted")).isEqualTo(4);
    assertThat(report.operations()).isEqualTo(40);
    assertThat(report.corrected().getTotalCount()).isEqualTo(44);
    long hung = TimeUnit.MILLISECONDS.toNanos(HANG_MILLIS - 50);
    assertThat(report.corrected().getCountBetweenValues(hung, Long.MAX_VALUE / 2))
        .isGreaterThanOrEqualTo(4);
  }

  /** Requests that are never answered would make a server look fast if they were left out. */
  @Test
  void shouldCountTheTimeOfOperationsThatTimeOutAfterTheEndOfAClosedLoop() throws Exception {
    double seconds = 1;
    LoadReport report;
    boolean isInTime;
    // All have to be sent in the period, and to be given up less than ten seconds after it.
    do {
      seconds *= 2;
      assertThat(seconds).isLessThan(20);
      AtomicLong last = new AtomicLong();
      StubServer.Behaviour behaviour =
          (request, number, out) -> {
            if (number < 20) {
              out.write(StubServer.right(request));
            } else if (number == 23) {
              last.set(System.nanoTime());
            }
          };
      long start = System.nanoTime();
      report = StubServer.run(behaviour, 4, seconds, 0, new LoadRate(0, 1, seconds, 1));
      isInTime = isWithin(seconds / 2, start, last);
    } while (!isInTime);

    assertThat(report.operations()).isEqualTo(20);
    assertThat(report.timeOuts()).isEqualTo(4);
    assertThat(report.corrected().getTotalCount()).isEqualTo(24);
    assertThat(report.latencyMicros(99)).isGreaterThan(0.99e6 * seconds);
  }

  /** Returns whether something has happened, and that within some seconds of a start. */
  private static boolean isWithin(double seconds, long startNanos, AtomicLong happenedNanos) {
    long happened = happenedNanos.get();
    return happened != 0 && happened - startNanos < seconds * 1e9;
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
    LoadReport report = withAServerThatGoesAway(0.5);

    long ofOperations =
        report.operations()
            + report.errors().getOrDefault("interrupted", 0L)
            + report.errors().getOrDefault("timedOut", 0L)
            + report.errors().get("notStarted");
    assertThat(ofOperations).as("%s", report.errors()).isBetween(199L, 201L);
    assertThat(report.errors()).doesNotContainKey("unanswered");
  }

  /**
   * The report of eight clients at 400 operations a second, all of which lose their connections to
   * a server that closes for ever after forty requests.
   */
  private static LoadReport withAServerThatGoesAway(double seconds) throws Exception {
    double timeOut = 0.5;
    LoadReport report = goAway(seconds, timeOut);
    // A slow machine comes to the end of the forty only if it has the time.
    while (report.lostConnections() < 8) {
      timeOut *= 2;
      assertThat(timeOut).as("%s", report.errors()).isLessThan(60);
      report = goAway(seconds, timeOut);
    }
    return report;
  }

  private static LoadReport goAway(double seconds, double timeOut) throws Exception {
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
      return LoadRun.run(
          closing.settings(JobKind.SEARCH, 8, seconds, new LoadRate(400, 1, timeOut, 1)));
    }
  }

  /** A client that reconnects ten times a second does not lose ten connections a second. */
  @Test
  void shouldTellFailedOperationsFromLostConnections() throws Exception {
    LoadReport report = withAServerThatGoesAway(0.8);

    assertThat(report.lostConnections()).isEqualTo(8);
    long failed = report.failedOperations();
    assertThat(report.operations() + failed).isBetween(319L, 321L);
    assertThat(report.operations()).isLessThanOrEqualTo(40);
    // No more than one request of each client was under way when the server went away.
    assertThat(report.operations() + report.timeOuts()).isGreaterThanOrEqualTo(32);
    assertThat(report.measuredFailed()).isEqualTo(failed);
    assertThat(report.failedShare()).isEqualTo((double) failed / (report.operations() + failed));
    assertThat(ReportText.of(report))
        .contains("failed operations: " + failed + ", lost connections: 8 (");
  }

  /** Failures in the warm-up say nothing about the measured rate. */
  @Test
  void shouldNotBlameAWarmUpOnARate() throws Exception {
    double warmup = 0.5;
    LoadReport report;
    boolean isInTime;
    // All failures have to fall into the warm-up, however slow the machine is.
    do {
      warmup *= 2;
      assertThat(warmup).isLessThan(60);
      AtomicLong last = new AtomicLong();
      long start = System.nanoTime();
      report = failInTheWarmUp(warmup, last);
      isInTime = isWithin(warmup, start, last);
    } while (!isInTime);

    assertThat(report.failedOperations()).isEqualTo(20);
    assertThat(report.operations()).isBetween(99L, 101L);
    assertThat(report.measuredFailed()).isZero();
    assertThat(KneeRun.sample(report).errorPercent()).isZero();
  }

  /** The report of a server that fails the first twenty requests; notes when the last one came. */
  private static LoadReport failInTheWarmUp(double warmup, AtomicLong last) throws Exception {
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          if (number == 19) {
            last.set(System.nanoTime());
          }
          out.write(
              number < 20 ? StubServer.answer(request.getMessageID()) : StubServer.right(request));
        };
    try (StubServer server = StubServer.start(behaviour)) {
      LoadSettings settings = server.settings(JobKind.SEARCH, 4, 1, new LoadRate(200, 1, 60, 1));
      return LoadRun.run(settings.lasting(0.5, warmup));
    }
  }
}
