package org.nyala.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(300)
class FailingServerTest {
  private static final long SEED = Long.getLong("test.seed", System.nanoTime());
  private static final int CONNECTIONS = 4;

  private static LoadReport run(
      StubServer.Behaviour behaviour, int connections, double seconds, long operations, Pace pace)
      throws Exception {
    try (StubServer server = StubServer.start(behaviour)) {
      LoadSettings settings = server.settings(JobKind.SEARCH, connections, seconds, pace);
      return LoadRun.run(StubServer.bounded(settings, operations));
    }
  }

  /**
   * What stops for a while makes late what should have begun meanwhile: the point of a schedule.
   */
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

    LoadReport report = run(behaviour, CONNECTIONS, 1.5, 0, new Pace(1000, 1, 60, 1));

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
          run(
              (request, _, out) -> out.write(StubServer.right(request)),
              CONNECTIONS,
              2,
              0,
              new Pace(13, 1, 60, 1));
      assertThat(report.errors()).isEmpty();
      assertThat(report.operations()).isBetween(25L, 27L);
      half = report.corrected().getValueAtPercentile(50);
      assertThat(System.nanoTime() - start)
          .as("half were late by %d ns", half)
          .isLessThan(TimeUnit.SECONDS.toNanos(120));
      // At a fixed rate that does not fit half of them would be late by 25 ms, each time.
    } while (half >= TimeUnit.MILLISECONDS.toNanos(15));
  }

  /** What the warm-up has left undone would make late what comes after it. */
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
          server.settings(JobKind.SEARCH, CONNECTIONS, 1, new Pace(rate, 1, 60, 1));
      report = LoadRun.run(settings.lasting(1, 1));
    }

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isBetween(998L, 1002L);
    assertThat(asked).as("not what was due while it stood still").hasValueLessThan(1500);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldReadAnswersInPiecesOfOneByte(int depth) throws Exception {
    LoadReport report =
        run(
            (request, _, out) -> {
              for (byte piece : StubServer.right(request)) {
                out.write(piece);
                out.flush();
              }
            },
            CONNECTIONS,
            60,
            25,
            new Pace(0, depth, 30, 1));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isEqualTo(25L * CONNECTIONS * depth);
  }

  @Test
  void shouldLeadAnswersInAnotherOrderToWhoAsked() throws Exception {
    int depth = 5;
    Deque<LDAPMessage> waiting = new ArrayDeque<>();
    Random random = new Random(SEED);
    LoadReport report =
        run(
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
            new Pace(0, depth, 30, 1));

    assertThat(report.errors()).as("-Dtest.seed=%d", SEED).isEmpty();
    assertThat(report.operations()).isEqualTo(depth * 40L);
  }

  @Test
  void shouldGoOnWhenConnectionsAreClosedAtRandom() throws Exception {
    Random random = new Random(SEED);
    int depth = 2;
    LoadReport report =
        run(
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
            new Pace(0, depth, 60, 1));

    assertThat(report.lostConnections()).as("-Dtest.seed=%d", SEED).isPositive();
    assertThat(report.errors().get("interrupted")).isPositive();
    // What was interrupted is asked once more.
    assertThat(report.operations()).as("-Dtest.seed=%d", SEED).isEqualTo(20L * CONNECTIONS * depth);
    assertThat(report.errorCount()).isPositive();
  }

  @Test
  void shouldCountTimeOutsWhereNothingIsAnswered() throws Exception {
    LoadReport report = run((_, _, _) -> {}, CONNECTIONS, 100, 3, new Pace(0, 1, 0.1, 1));

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
        run(
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
            new Pace(0, 1, 0.2, 1));

    // One at least: what is answered while the machine stands still comes late, too.
    assertThat(report.errors()).containsOnlyKeys("timedOut");
    assertThat(report.timeOuts()).isPositive();
    assertThat(report.operations()).isEqualTo(20 - report.timeOuts());
  }

  @Test
  void shouldAccountForEveryOperationOfAScheduleThatNobodyHolds() throws Exception {
    LoadReport report = run((_, _, _) -> {}, 1, 0.5, 0, new Pace(200, 1, 0.2, 1));

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
        run(
            (request, _, out) -> out.write(StubServer.right(request)),
            3,
            3,
            0,
            new Pace(500, 1, 60, 0.1));

    assertThat(report.errors()).isEmpty();
    assertThat(report.operations()).isBetween(1499L, 1501L);
    // Some thirty; none begins sooner than a tenth of a second after the one before.
    assertThat(report.intervals().size()).isBetween(3, (int) (report.seconds() / 0.1) + 3);
    assertThat(report.intervals().stream().mapToLong(IntervalSample::operations).sum())
        .isEqualTo(report.operations());
  }

  @Test
  void shouldCountWrongNamesAndEntriesTooMany() throws Exception {
    String parent = ",ou=People,dc=example,dc=com";
    LoadReport report =
        run(
            (request, number, out) -> {
              String uid = StubServer.uid(request);
              String other = "user." + (Integer.parseInt(uid.substring(5)) + 1);
              out.write(
                  switch (number % 3) {
                    case 0 ->
                        StubServer.answer(
                            request.getMessageID(), StubServer.entry("uid=" + other + parent, uid));
                    case 1 -> StubServer.answer(request.getMessageID());
                    default ->
                        StubServer.answer(
                            request.getMessageID(),
                            StubServer.entry("uid=" + uid + parent, uid),
                            StubServer.entry("uid=" + uid + parent, uid));
                  });
            },
            CONNECTIONS,
            60,
            30,
            Pace.CLOSED);

    assertThat(report.wrongAnswers()).isEqualTo(30L * CONNECTIONS);
    assertThat(report.operations()).isZero();
  }

  @Test
  void shouldFindWrongValuesAndParentsAmongTheSampled() throws Exception {
    String[] parents = {",ou=People,dc=example,dc=com", ",ou=Others,dc=example,dc=com"};
    for (int i = 0; i < 2; i++) {
      String parent = parents[i];
      String value = i == 0 ? "nobody" : null;
      LoadReport report =
          run(
              (request, _, out) -> {
                String uid = StubServer.uid(request);
                out.write(
                    StubServer.answer(
                        request.getMessageID(),
                        StubServer.entry("uid=" + uid + parent, value == null ? uid : value)));
              },
              1,
              60,
              2L * JobOptions.DEFAULT_CHECK_EVERY,
              Pace.CLOSED);

      assertThat(report.wrongAnswers()).as(parent).isEqualTo(2);
      assertThat(report.operations()).isEqualTo(2L * JobOptions.DEFAULT_CHECK_EVERY - 2);
    }
  }

  @Test
  void shouldTakeNamesWithSpacesAndCapitalsForTheSame() throws Exception {
    LoadReport report =
        run(
            (request, _, out) -> {
              String uid = StubServer.uid(request);
              String dn = "UID=" + uid + ", OU=people,  dc=Example,dc=com";
              out.write(StubServer.answer(request.getMessageID(), StubServer.entry(dn, uid)));
            },
            1,
            60,
            100,
            Pace.CLOSED);

    assertThat(report.errors()).isEmpty();
  }

  @Test
  void shouldRejectAnswersThatNobodyAskedFor() throws Exception {
    LoadReport report =
        run(
            (request, number, out) ->
                out.write(
                    number % 2 == 0
                        ? StubServer.right(request)
                        : StubServer.encode(
                            request.getMessageID() + 1,
                            new SearchResultDoneProtocolOp(0, null, null, null))),
            1,
            100,
            10,
            Pace.CLOSED);

    assertThat(report.errors().get("malformedAnswer")).isPositive();
    assertThat(report.operations()).isEqualTo(10);
  }

  @Test
  void shouldSendNothingMoreThanItCounts() throws Exception {
    try (StubServer server =
        StubServer.start((request, _, out) -> writeSlowly(out, StubServer.right(request)))) {
      LoadReport report =
          LoadRun.run(
              StubServer.bounded(
                  server.settings(JobKind.SEARCH, 2, 60, new Pace(0, 4, 30, 1)), 10));
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

    assertThat(exitCode(silent, 1)).isEqualTo(Main.FAILED);
    assertThat(exitCode(garbage, 1)).isEqualTo(Main.FAILED);
    assertThat(exitCode(closing, 1)).isEqualTo(Main.FAILED);
    assertThat(exitCode(slow, 1)).isEqualTo(Main.FAILED);
    assertThat(exitCode(empty, 1)).isEqualTo(Main.FAILED);
    assertThat(exitCode(right, 60)).isEqualTo(Main.OK);
  }

  private static int exitCode(StubServer.Behaviour behaviour, int timeOutSeconds) throws Exception {
    try (StubServer server = StubServer.start(behaviour)) {
      CommandLine commandLine = Main.commandLine();
      commandLine.setOut(new PrintWriter(new StringWriter()));
      commandLine.setErr(new PrintWriter(new StringWriter()));
      return commandLine.execute(
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
