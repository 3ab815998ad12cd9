package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.LDAPMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.loadtest.result.LoadReport;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.LoadRate;

/** Servers that answer late, in pieces, in another order or not at all. */
@Timeout(300)
class FailingServerTest {
  private static final long SEED = Seeds.seed();
  private static final int CONNECTIONS = 4;

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldReadAnswersInPiecesOfOneByte(int depth) throws Exception {
    LoadReport report =
        StubServer.run(
            (request, _, out) -> {
              for (byte piece : StubServer.right(request)) {
                out.write(piece);
                out.flush();
              }
            },
            CONNECTIONS,
            60,
            25,
            new LoadRate(0, depth, 30, 1));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(25L * CONNECTIONS * depth);
  }

  @Test
  void shouldLeadAnswersInAnotherOrderToWhoAsked() throws Exception {
    int depth = 5;
    Deque<LDAPMessage> waiting = new ArrayDeque<>();
    Random random = new Random(SEED);
    LoadReport report =
        StubServer.run(
            (request, _, out) -> {
              waiting.add(request);
              if (waiting.size() == depth) {
                List<LDAPMessage> shuffled = new ArrayList<>(waiting);
                Collections.shuffle(shuffled, random);
                waiting.clear();
                for (LDAPMessage message : shuffled) {
                  out.write(StubServer.right(message));
                }
              }
            },
            1,
            60,
            40,
            new LoadRate(0, depth, 30, 1));

    assertThat(report.errors()).as("-Dtest.seed=%d", SEED).isEmpty();
    assertThat(report.operations()).isEqualTo(depth * 40L);
  }

  @Test
  void shouldGoOnWhenConnectionsAreClosedAtRandom() throws Exception {
    Random random = new Random(SEED);
    int depth = 2;
    LoadReport report =
        StubServer.run(
            (request, number, out) -> {
              boolean closes;
              synchronized (random) {
                closes = number == 3 || random.nextInt(5) == 0;
              }
              if (closes) {
                throw new IOException("closed on purpose");
              }
              out.write(StubServer.right(request));
            },
            CONNECTIONS,
            100,
            20,
            new LoadRate(0, depth, 60, 1));

    assertThat(report.lostConnections()).as("-Dtest.seed=%d", SEED).isPositive();
    assertThat(report.errors().get("interrupted")).isPositive();
    // Interrupted requests are sent once more.
    assertThat(report.operations()).as("-Dtest.seed=%d", SEED).isEqualTo(20L * CONNECTIONS * depth);
    assertThat(report.errorCount()).isPositive();
  }

  @Test
  void shouldCountTimeOutsWhereNothingIsAnswered() throws Exception {
    LoadReport report =
        StubServer.run((_, _, _) -> {}, CONNECTIONS, 100, 3, new LoadRate(0, 1, 0.1, 1));

    assertThat(report.timeOuts()).isEqualTo(3L * CONNECTIONS);
    assertThat(report.operations()).isZero();
    assertThat(report.corrected().getTotalCount()).isPositive();
    assertThat(report.corrected().getMinNonZeroValue())
        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(99));
  }

  @Test
  void shouldCountLateAnswersAsTimeOutsAndGoOnWithTheConnection() throws Exception {
    List<LDAPMessage> late = Collections.synchronizedList(new ArrayList<>());
    LoadReport report =
        StubServer.run(
            (request, number, out) -> {
              if (number == 3) {
                late.add(request);
                return;
              }
              for (LDAPMessage message : late) {
                out.write(StubServer.right(message));
              }
              late.clear();
              out.write(StubServer.right(request));
            },
            1,
            60,
            20,
            new LoadRate(0, 1, 0.2, 1));

    // One at least: what is answered while the machine stands still comes late, too.
    assertThat(report.errors()).containsOnlyKeys("timedOut");
    assertThat(report.timeOuts()).isPositive();
    assertThat(report.operations()).isEqualTo(20 - report.timeOuts());
  }

  @Test
  void shouldSendNothingMoreThanItCounts() throws Exception {
    try (StubServer server =
        StubServer.start((request, _, out) -> writeSlowly(out, StubServer.right(request)))) {
      LoadReport report =
          LoadRun.run(
              StubServer.bounded(
                  server.settings(JobKind.SEARCH, 2, 60, new LoadRate(0, 4, 30, 1)), 10));
      assertThat(report.errors()).isEmpty();
      assertThat(server.requests()).isEqualTo(80);
      assertThat(report.operations()).isEqualTo(80);
    }
  }

  @Test
  void shouldEndWithAnExitCodeThatTells() throws Exception {
    StubServer.Behaviour silent = (_, _, _) -> {};
    StubServer.Behaviour empty =
        (request, _, out) -> out.write(StubServer.answer(request.getMessageID()));
    StubServer.Behaviour right = (request, _, out) -> out.write(StubServer.right(request));

    StubServer.Behaviour garbage = (_, _, out) -> out.write(new byte[] {0x30, 3, 1, 2, 3});
    StubServer.Behaviour closing =
        (request, number, out) -> {
          if (number % 7 == 6) {
            throw new IOException("closed on purpose");
          }
          out.write(StubServer.right(request));
        };
    CountDownLatch never = new CountDownLatch(1);
    StubServer.Behaviour slow =
        (request, _, out) -> {
          assertThat(never.await(1500, TimeUnit.MILLISECONDS)).isFalse();
          out.write(StubServer.right(request));
        };

    assertThat(exitCode(silent, 1)).isEqualTo(ExitCode.FAILED);
    assertThat(exitCode(garbage, 1)).isEqualTo(ExitCode.FAILED);
    assertThat(exitCode(closing, 1)).isEqualTo(ExitCode.FAILED);
    assertThat(exitCode(slow, 1)).isEqualTo(ExitCode.FAILED);
    assertThat(exitCode(empty, 1)).isEqualTo(ExitCode.FAILED);
    assertThat(exitCode(right, 60)).isEqualTo(ExitCode.OK);
  }

  private static int exitCode(StubServer.Behaviour behaviour, int timeOutSeconds) throws Exception {
    try (StubServer server = StubServer.start(behaviour)) {
      return new LoadTester()
          .run(
              "search",
              "--url=ldap://127.0.0.1:" + server.address().getPort(),
              "--users=10",
              "--connections=2",
              "--rate=100",
              "--seconds=0.3",
              "--warmup-seconds=0",
              "--time-out=" + timeOutSeconds);
    }
  }

  private static void writeSlowly(OutputStream out, byte[] answer) throws IOException {
    int half = answer.length / 2;
    out.write(answer, 0, half);
    out.flush();
    Thread.onSpinWait();
    out.write(answer, half, answer.length - half);
  }
}
