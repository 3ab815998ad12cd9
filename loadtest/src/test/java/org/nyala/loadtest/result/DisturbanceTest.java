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

  /** The exit code of a tester in a process of its own, which stands still for a while. */
  private int stopInTheMiddle(String... more) throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    AtomicReference<Process> tester = new AtomicReference<>();
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          out.write(StubServer.right(request));
          if (number == 50) {
            started.await();
            signal(tester.get(), "STOP");
            assertThat(never.await(STOP_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
            signal(tester.get(), "CONT");
          }
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
                  "--connections=4",
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

  @Test
  void shouldSayThatItWasDisturbed() throws Exception {
    assertThat(stopInTheMiddle()).isEqualTo(ExitCode.DISTURBED);

    assertThat(Files.readString(directory.resolve("out"))).contains("DISTURBED in ");
    JSONObject results = new JSONObject(Files.readString(directory.resolve("results.json")));
    assertThat(results.getFieldAsInteger("errorCount")).isZero();
    assertThat(results.getFieldAsBoolean("disturbed")).isTrue();
    JSONObject disturbance = results.getFieldAsObject("disturbance");
    double least = STOP_MILLIS - 50;
    assertThat(disturbance.getFieldAsBigDecimal("stallMillis").doubleValue()).isGreaterThan(least);
    assertThat(disturbance.getFieldAsBigDecimal("lagMillis").doubleValue()).isGreaterThan(least);
    assertThat(disturbance.getFieldAsInteger("disturbedIntervals")).isPositive();
    try (RenderedPage page = new RenderedPage(Files.readString(directory.resolve("report.html")))) {
      assertThat(page.text()).contains("DISTURBED in ");
    }
    try (Stream<String> lines = Files.lines(directory.resolve("intervals.csv"))) {
      assertThat(lines.filter(line -> line.endsWith(",true"))).isNotEmpty();
    }
  }

  @Test
  void shouldBeAllowedToBeDisturbed() throws Exception {
    assertThat(stopInTheMiddle("--allow-disturbed")).isEqualTo(ExitCode.OK);

    assertThat(Files.readString(directory.resolve("out"))).contains("DISTURBED in ");
  }

  /** A server that is slow holds up its answers, not the tester. */
  @Test
  void shouldNotTakeTheServersDelayForItsOwn() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    LoadReport report =
        StubServer.run(
            (request, number, out) -> {
              if (number % 50 == 9) {
                assertThat(never.await(2, TimeUnit.SECONDS)).isFalse();
              }
              out.write(StubServer.right(request));
            },
            1,
            1,
            0,
            new LoadRate(100, 1, 60, 1));

    assertThat(report.latencyMicros(100)).isGreaterThan(1_900_000);
    assertThat(Disturbance.worst(report.intervals()).lagMillis()).isLessThan(1000);
    assertThat(Disturbance.worst(report.intervals()).stallMillis()).isLessThan(1000);
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
