package org.nyala.attack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nyala.attack.LargestRequests.Generated;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;
import org.nyala.tarball.Tarball;

/**
 * Sends the largest requests that are derived from the server's lists, one by one and from many
 * connections, beside other clients.
 *
 * <p>{@code -Dnyala.attack.heaps=true} attacks servers of all heaps and access rules, each with a
 * choice of its own; {@code -Dnyala.attack.ofEachFamily=N} sends more of them, and {@code
 * -Dtest.seed=N} repeats a choice.
 */
@EnabledOnOs(OS.LINUX)
@Tag("alone")
class GeneratedAttackIT {
  private static final int PEOPLE = 5_000;
  private static final int CONNECTIONS = 6;
  private static final int PIPELINED = 3;
  private static final int FIRST_ATTACKER = 11;
  private static final int FIRST_ID = 2;
  private static final int WHO_AM_I_ID = 99;
  private static final byte[] WHO_AM_I = Ber.of(0x77, Ber.text(0x80, "1.3.6.1.4.1.4203.1.11.3"));
  private static final int ANSWER_MILLIS = 1_500;
  private static final int LATER_MILLIS = 300;
  private static final int REPETITIONS = 3;
  private static final int OTHER = 80;

  /** The processor time for which a thread may be held, whatever is asked. */
  private static final double SLICE_MILLIS = 20;

  /** Memory of connections that have small accounts, which are not counted. */
  private static final long SMALL_BYTES = (CONNECTIONS + 32) * 64L << 10;

  /** The growth of caches with a bound of their own, and of what a thread keeps. */
  private static final long CACHES_BYTES = 6L << 20;

  private static final int SUCCESS = 0;

  /** The length of the longest refusal: it does not send back what was sent. */
  private static final int REFUSAL_BYTES = 8 << 10;

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(700);

  @TempDir static Path folder;

  private static Path home;

  /**
   * A server to attack.
   *
   * @param rules {@code none}, {@code shipped} or {@code worst}
   */
  record Target(String javaOptions, String rules) {
    String access() throws IOException {
      return switch (rules) {
        case "none" -> HostileRules.none();
        case "shipped" -> HostileRules.shipped(home);
        default -> HostileRules.worst(folder);
      };
    }

    boolean mayStrangersRead() {
      return !rules.equals("shipped");
    }
  }

  @BeforeAll
  static void unpack() throws Exception {
    home = Tarball.unpack(folder.resolve("opt"));
  }

  private static Stream<Target> targets() {
    if (!Boolean.getBoolean("nyala.attack.heaps")) {
      return Stream.of(new Target("-Xmx128m", "worst"));
    }
    return Stream.of("-Xmx128m", "-Xmx512m", "")
        .flatMap(
            heap -> Stream.of("none", "shipped", "worst").map(rules -> new Target(heap, rules)));
  }

  @ParameterizedTest
  @MethodSource("targets")
  void shouldBoundWhateverIsSent(Target target) throws Exception {
    long seed = Seeds.seed();
    System.out.println("seed " + seed + " for " + target);
    Random random = new Random(seed + target.hashCode());
    List<Generated> requests =
        LargestRequests.some(random, Integer.getInteger("nyala.attack.ofEachFamily", 3));
    System.out.println(requests.size() + " requests");
    int seconds = Integer.getInteger("nyala.attack.seconds", 4);
    SoftAssertions bounds = new SoftAssertions();
    // Data of its own: where there are no rules, a request may change an attacker's password.
    HostileDirectory directory =
        HostileDirectory.create(Files.createTempDirectory(folder, "target"), home, PEOPLE);
    try (AttackedServer server = directory.serve(target.javaOptions(), target.access())) {
      sendOneByOne(server, requests, bounds);
      Patience.eventually("no operation of them is left", server::isAtRest);
      // Each thread keeps the durations of each kind of operation from its first one on.
      storm(server, target, requests, seconds, bounds);
      long baseline = server.liveBytes();
      storm(server, target, requests, seconds, bounds);
      long afterwards = server.liveBytes();
      System.out.println("live bytes before " + baseline + ", afterwards " + afterwards);
      bounds
          .assertThat(afterwards)
          .as("live bytes afterwards, before %d", baseline)
          .isLessThan(baseline + CACHES_BYTES);
      bounds.assertAll();
      server.assertQuietLog();
    }
  }

  /** Sends the requests from many connections beside neighbours, until none is at work. */
  private static void storm(
      AttackedServer server,
      Target target,
      List<Generated> requests,
      int seconds,
      SoftAssertions bounds)
      throws Exception {
    try (Storm storm = Storm.begin(server, PEOPLE, target.mayStrangersRead())) {
      sendTogether(server, requests, storm, server.liveBytes(), seconds, bounds);
      storm.print();
      storm.assertServed();
    }
    Patience.eventually("no operation of them is left", server::isAtRest);
  }

  /** Sends each request alone, and looks at the answer and the longest slice. */
  private static void sendOneByOne(
      AttackedServer server, List<Generated> requests, SoftAssertions bounds) throws Exception {
    try (AttackRun run = new AttackRun(server.port())) {
      // Each time another user: a request may change the password of its own.
      int user = CONNECTIONS;
      for (Generated each : requests) {
        server.takeLongestSlice();
        String outcome = outcomeOf(run, each, user++);
        double slice = sliceMillis(server);
        for (int i = 0; i < REPETITIONS && slice >= SLICE_MILLIS; i++) {
          // The compiler was at work on its code, or the machine.
          outcome = outcomeOf(run, each, user++);
          slice = Math.min(slice, sliceMillis(server));
        }
        bounds.assertThat(slice).as("slice of " + each.name()).isLessThan(SLICE_MILLIS);
        bounds
            .assertThat(outcome)
            .as(each.name())
            .isNotEqualTo("result " + OTHER)
            .doesNotContain("bytes");
        assertThat(server.isAlive()).as("alive after " + each.name()).isTrue();
      }
    }
  }

  private static double sliceMillis(AttackedServer server) {
    return server.takeLongestSlice().processorNanos() / 1e6;
  }

  private static Wire connect(AttackRun run, boolean isUser, int attacker) throws IOException {
    Wire wire = isUser ? run.bind(Login.of(FIRST_ATTACKER + attacker)) : run.connect();
    wire.timeout(ANSWER_MILLIS);
    return wire;
  }

  /** Sends a request on a connection of its own; returns what came of it. */
  private static String outcomeOf(AttackRun run, Generated request, int attacker)
      throws IOException {
    Wire wire = connect(run, request.isOfUsers(), attacker);
    try {
      wire.send(request.message().apply(FIRST_ID));
      wire.send(Requests.message(WHO_AM_I_ID, WHO_AM_I));
      Wire.Result result = wire.read();
      if (result.id() == WHO_AM_I_ID) {
        // Searches that stand and abandons have no answer.
        wire.timeout(LATER_MILLIS);
        result = wire.read();
      }
      return result.code() != SUCCESS && result.bytes() > REFUSAL_BYTES
          ? "result " + result.code() + " of " + result.bytes() + " bytes"
          : "result " + result.code();
    } catch (SocketTimeoutException _) {
      return "no answer yet";
    } catch (IOException _) {
      return "closed by the server";
    } finally {
      run.end(wire);
    }
  }

  /** Sends requests in any order from many connections, and compares the heap with the account. */
  private static void sendTogether(
      AttackedServer server,
      List<Generated> requests,
      Storm storm,
      long baseline,
      int seconds,
      SoftAssertions bounds)
      throws Exception {
    List<String> looks = new ArrayList<>();
    try (AttackRun run = new AttackRun(server.port())) {
      storm.count();
      for (int i = 0; i < CONNECTIONS; i++) {
        int attacker = i;
        Random random = new Random(Seeds.seed() + i);
        run.start("generated", () -> sendSome(run, requests, random, attacker));
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      while (System.nanoTime() < end && server.isAlive()) {
        LockSupport.parkNanos(LOOK_NANOS);
        AttackedServer.Memory memory = server.memory();
        long live = memory.live() - baseline;
        long held = memory.held();
        looks.add(String.format(Locale.ROOT, "%.1f of %.1f", live / 1e6, held / 1e6));
        bounds
            .assertThat(live)
            .as("live bytes beside %d that are held: %s", held, looks)
            .isLessThan(held + SMALL_BYTES + CACHES_BYTES);
      }
      storm.calm();
      System.out.println("outcomes: " + run.outcomes());
    }
    System.out.println("live megabytes of those held: " + looks);
  }

  private static void sendSome(AttackRun run, List<Generated> requests, Random random, int attacker)
      throws IOException {
    while (!run.isOver()) {
      Generated request = requests.get(random.nextInt(requests.size()));
      Wire wire = connect(run, request.isOfUsers(), attacker % 2);
      try {
        for (int i = 0; i < PIPELINED; i++) {
          wire.send(request.message().apply(FIRST_ID + i));
        }
        for (int i = 0; i < PIPELINED; i++) {
          run.count("generated", wire.read());
        }
      } catch (SocketTimeoutException _) {
        run.count("generated", "no answer yet");
      } catch (IOException _) {
        run.count("generated", "closed by the server");
      } finally {
        run.end(wire);
      }
    }
  }
}
