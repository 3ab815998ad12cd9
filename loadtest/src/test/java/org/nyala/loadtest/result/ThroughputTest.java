package org.nyala.loadtest.result;

import static org.assertj.core.api.Assertions.assertThat;

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
      LoadReport report = LoadRun.run(replay(server, 4, 400, 30));

      assertThat(report.errors()).isEmpty();
      assertThat(report.operations()).isEqualTo(4);
      // At ten thousand times a second it would be twelve thousand.
      assertThat(report.resources().client().voluntarySwitches()).isLessThan(5000);
    }
  }

  @Test
  void shouldNotCountTheWaitForAnAnswerAsTimeOfALog() throws Exception {
    try (StubServer server =
        StubServer.start(
            (request, number, out) -> {
              if (number != 3) {
                out.write(StubServer.right(request));
              }
            })) {
      LoadReport report = LoadRun.run(replay(server, 21, 20, 2));

      assertThat(report.timeOuts()).isEqualTo(1);
      assertThat(report.seconds()).isGreaterThan(1.9);
      assertThat(report.throughput().seconds()).isBetween(0.399, 1.5);
      assertThat(report.rate()).isBetween(20 / 1.5, 20 / 0.399);
    }
  }

  @Test
  void shouldNotCountTheWaitForAnAnswerAsTimeOfARate() throws Exception {
    LoadReport report =
        StubServer.run(
            (request, number, out) -> {
              if (number != 3) {
                out.write(StubServer.right(request));
              }
            },
            4,
            0.5,
            0,
            new LoadRate(200, 1, 2, 1));

    assertThat(report.timeOuts()).isEqualTo(1);
    assertThat(report.operations()).isBetween(98L, 100L);
    assertThat(report.seconds()).isGreaterThan(1.9);
    assertThat(report.throughput().seconds()).isEqualTo(0.5);
    assertThat(report.rate()).isLessThanOrEqualTo(200);
    assertThat(report.rate() * 0.5).isEqualTo((double) report.throughput().operations());
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
            new LoadRate(200, 1, 30, 1));

    assertThat(report.operations()).isBetween(199L, 201L);
    assertThat(report.rate()).isLessThan(110);
  }
}
