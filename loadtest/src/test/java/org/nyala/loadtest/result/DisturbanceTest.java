package org.nyala.loadtest.result;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.loadtest.engine.StubServer;
import org.nyala.loadtest.format.RenderedPage;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.LoadRate;

/** A tester that was held up says so, since its times are not the server's. */
@Timeout(300)
class DisturbanceTest {
  private static final long STOP_MILLIS = 400;

  @TempDir Path directory;

  private static void signal(Process process, String name) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  /**
   * The exit code of a tester in a process of its own, which stands still for a while. It has more
   * connections than operations, so that it is never late for want of a free one.
   */
  private int stopInTheMiddle(String... more) throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    AtomicReference<Process> tester = new AtomicReference<>();
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          if (number == 50) {
            started.await();
            signal(tester.get(), "STOP");
            assertThat(never.await(STOP_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
            signal(tester.get(), "CONT");
          }
          // Until it has this answer the tester cannot end.
          out.write(StubServer.right(request));
        };
    try (StubServer server = StubServer.start(behaviour)) {
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "org.nyala.loadtest.cli.Main",
                  "search",
                  "--url=ldap://127.0.0.1:" + server.address().getPort(),
                  "--users=10",
                  "--connections=160",
                  "--rate=100",
                  "--seconds=1.5",
                  "--warmup-seconds=0",
                  "--report=" + directory));
      command.addAll(List.of(more));
      tester.set(
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("out").toFile())
              .start());
      started.countDown();
      return tester.get().waitFor();
    }
  }

  /** The exit code of such a tester that has operations to begin while it stands still. */
  private int stopAtWork(String... more) throws Exception {
    long start = System.nanoTime();
    int exit = stopInTheMiddle(more);
    // If the server stands still before it stops the tester, nothing may be left to begin.
    while (leastDelayMillis() <= STOP_MILLIS - 50) {
      assertThat(System.nanoTime() - start)
          .as(Files.readString(directory.resolve("out")))
          .isLessThan(TimeUnit.SECONDS.toNanos(120));
      exit = stopInTheMiddle(more);
    }
    return exit;
  }

  private double leastDelayMillis() throws Exception {
    JSONObject results = new JSONObject(Files.readString(directory.resolve("results.json")));
    JSONObject disturbance = results.getFieldAsObject("disturbance");
    return Math.min(
        disturbance.getFieldAsBigDecimal("stallMillis").doubleValue(),
        disturbance.getFieldAsBigDecimal("lagMillis").doubleValue());
  }

  @Test
  void shouldSayThatItWasDisturbed() throws Exception {
    assertThat(stopAtWork()).isEqualTo(ExitCode.DISTURBED);

    assertThat(Files.readString(directory.resolve("out")))
        .containsPattern(
            "(?m)^search: .*; this machine was too busy: take the rate as a lower bound");
    JSONObject results = new JSONObject(Files.readString(directory.resolve("results.json")));
    assertThat(results.getFieldAsInteger("errorCount")).isZero();
    assertThat(results.getFieldAsBoolean("disturbed")).isTrue();
    JSONObject disturbance = results.getFieldAsObject("disturbance");
    assertThat(disturbance.getFieldAsInteger("disturbedIntervals")).isPositive();
    JSONObject job = (JSONObject) results.getFieldAsArray("jobs").getFirst();
    JSONObject span = (JSONObject) job.getFieldAsArray("disturbances").getFirst();
    assertThat(span.getFieldAsString("text"))
        .matches("second [0-9.]+ to [0-9.]+: the load tester began operations up to .*");
    assertThat(Files.readString(directory.resolve("out"))).contains(span.getFieldAsString("text"));
    try (RenderedPage page = new RenderedPage(Files.readString(directory.resolve("report.html")))) {
      assertThat(page.text())
          .contains("; this machine was too busy: take the rate as a lower bound")
          .contains(span.getFieldAsString("text"));
    }
    try (Stream<String> lines = Files.lines(directory.resolve("intervals.csv"))) {
      assertThat(lines.filter(line -> line.endsWith(",true"))).isNotEmpty();
    }
  }

  @Test
  void shouldBeAllowedToBeDisturbed() throws Exception {
    assertThat(stopAtWork("--allow-disturbed")).isEqualTo(ExitCode.OK);

    assertThat(Files.readString(directory.resolve("out"))).contains("this machine was too busy");
  }

  /** A server that is slow holds up its answers, not the tester. */
  @Test
  void shouldNotTakeTheServersDelayForItsOwn() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    StubServer.Behaviour slow =
        (request, number, out) -> {
          if (number % 50 == 9) {
            assertThat(never.await(2, TimeUnit.SECONDS)).isFalse();
          }
          out.write(StubServer.right(request));
        };
    long start = System.nanoTime();
    Disturbance worst;
    // A machine that stands still for a second disturbs the tester as well, but not for ever.
    do {
      LoadReport report = StubServer.run(slow, 1, 1, 0, new LoadRate(100, 1, 60, 1));
      assertThat(report.latencyMicros(100)).isGreaterThan(1_900_000);
      worst = Disturbance.worst(report.intervals());
      assertThat(System.nanoTime() - start)
          .as("%s", worst)
          .isLessThan(TimeUnit.SECONDS.toNanos(120));
    } while (worst.lagMillis() >= 1000 || worst.stallMillis() >= 1000);
  }

  @Test
  void shouldMarkWhatExceedsABound() {
    assertThat(new Disturbance(20, 20, 5).isTooMuch()).isFalse();
    assertThat(new Disturbance(21, 0, 0).isTooMuch()).isTrue();
    assertThat(new Disturbance(0, 21, 0).isTooMuch()).isTrue();
    assertThat(new Disturbance(0, 0, 6).isTooMuch()).isTrue();
    assertThat(new Disturbance(1, 5, 3).worse(new Disturbance(2, 4, 1)))
        .isEqualTo(new Disturbance(2, 5, 3));
  }
}
