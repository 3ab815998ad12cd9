package org.nyala.loadtest.result;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.LDAPMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.loadtest.engine.LoadRun;
import org.nyala.loadtest.engine.StubServer;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.Mix;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.Replay;
import org.nyala.loadtest.workload.Security;
import org.nyala.loadtest.workload.Targets;
import org.nyala.loadtest.workload.TestDuration;

/**
 * Tests that waiting for answers does not count as work, nor does waiting for the times of a log.
 */
@Timeout(300)
class ThroughputTest {
  @TempDir Path directory;

  private LoadSettings replay(StubServer server, int operations, int gapMillis, double timeOut)
      throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < operations; i++) {
      long nanos = TimeUnit.MILLISECONDS.toNanos((long) i * gapMillis);
      lines.append(
          "%08x.%08x conn=1 op=%d".formatted(9 + nanos / 1_000_000_000, nanos % 1_000_000_000, i));
      lines.append(" SRCH base=\"dc=example,dc=com\" scope=2 deref=0 filter=\"(uid=user.1)\"\n");
    }
    Path log = Files.writeString(directory.resolve("log"), lines);
    Replay.Rules rules = new Replay.Rules(Account.ANONYMOUS, "ou=People", "title", false);
    JobOptions options =
        new JobOptions(
            "description",
            "uid",
            20,
            20,
            Targets.PEOPLE.inOrder(Targets.Order.SEQUENTIAL, 1),
            Mix.NONE,
            Replay.read(log, 1, rules),
            1);
    return new LoadSettings(
        JobKind.REPLAY,
        server.address(),
        4,
        1,
        new TestDuration(TestDuration.ENDLESS_SECONDS, 0, 0),
        People.of(operations),
        Account.ANONYMOUS,
        ProcessHandle.current().pid(),
        options,
        Security.NONE,
        new LoadRate(0, 1, timeOut, 1));
  }

  @Test
  void shouldNotWaitBusilyForTheNextLineOfALog() throws Exception {
    try (StubServer server =
        StubServer.start((request, _, out) -> out.write(StubServer.right(request)))) {
      LoadReport report = LoadRun.run(replay(server, 4, 400, 60));

      assertThat(report.errors()).isEmpty();
      assertThat(report.operations()).isEqualTo(4);
      // At ten thousand times a second it would be twelve thousand.
      assertThat(report.resources().client().voluntarySwitches()).isLessThan(5000);
    }
  }

  /** A test with some time-out. */
  @FunctionalInterface
  private interface Waiting {
    LoadReport run(double timeOut) throws Exception;
  }

  /** A test in which one answer never comes, and the others in half the time-out at most. */
  private static LoadReport withOneTimeOut(Waiting test) throws Exception {
    double timeOut = 2;
    LoadReport report = test.run(timeOut);
    // While the machine stands still other answers are late too, unless there is more time.
    while (report.timeOuts() != 1
        || report.throughput().seconds() > report.seconds() - timeOut / 2) {
      timeOut *= 2;
      assertThat(timeOut)
          .as("%s in %f of %f s", report.errors(), report.throughput().seconds(), report.seconds())
          .isLessThan(60);
      report = test.run(timeOut);
    }
    assertThat(report.errors()).containsOnlyKeys("timedOut");
    assertThat(report.seconds()).isGreaterThanOrEqualTo(timeOut);
    return report;
  }

  private static void answerAllButOne(LDAPMessage request, int number, OutputStream out)
      throws IOException {
    if (number != 3) {
      out.write(StubServer.right(request));
    }
  }

  @Test
  void shouldNotCountTheWaitForAnAnswerAsTimeOfALog() throws Exception {
    LoadReport report =
        withOneTimeOut(
            timeOut -> {
              try (StubServer server = StubServer.start(ThroughputTest::answerAllButOne)) {
                return LoadRun.run(replay(server, 21, 20, timeOut));
              }
            });

    assertThat(report.operations()).isEqualTo(20);
    assertThat(report.throughput().seconds()).isGreaterThan(0.399);
    assertThat(report.rate()).isEqualTo(20 / report.throughput().seconds());
  }

  @Test
  void shouldNotCountTheWaitForAnAnswerAsTimeOfARate() throws Exception {
    LoadReport report =
        withOneTimeOut(
            timeOut ->
                StubServer.run(
                    ThroughputTest::answerAllButOne,
                    4,
                    timeOut / 4,
                    0,
                    new LoadRate(200, 1, timeOut, 1)));

    double seconds = report.settings().extent().seconds();
    long due = (long) (200 * seconds);
    assertThat(report.operations()).isBetween(due - 2, due);
    assertThat(report.throughput().seconds()).isEqualTo(seconds);
    assertThat(report.rate()).isLessThanOrEqualTo(200);
    assertThat(report.rate() * seconds).isEqualTo((double) report.throughput().operations());
  }

  /** A server that falls behind has no sustained rate. */
  @Test
  void shouldGiveNoRateThatWasNotHeld() throws Exception {
    LoadReport report =
        StubServer.run(
            (request, number, out) -> {
              if (number >= 50) {
                assertThat(
                        new java.util.concurrent.CountDownLatch(1).await(20, TimeUnit.MILLISECONDS))
                    .isFalse();
              }
              out.write(StubServer.right(request));
            },
            1,
            1,
            0,
            new LoadRate(200, 1, 60, 1));

    assertThat(report.operations()).isBetween(199L, 201L);
    assertThat(report.rate()).isLessThan(110);
  }
}
