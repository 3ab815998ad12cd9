package org.nyala.tarball;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONString;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.nyala.error.ExitCode;
import org.nyala.process.Processes;

/** Tests the load tester of the tarball, and its server's management under load. */
class TarballLoadIT extends TarballTestCase {
  private static final int LOAD_CLIENTS = 16;

  /** Operations per second: a load without pauses would leave no processor to the commands. */
  private static final int LOAD_RATE = 400;

  @Test
  void shouldReportTheContentionOfARunningServer() throws Exception {
    assertThat(nyala("contention").exitCode()).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(nyala("contention", "--seconds", "0").exitCode()).isEqualTo(ExitCode.USAGE);
    String url = readyUrl(nyala("start", "--listen", "ldap://127.0.0.1:0").shouldSucceed().out());
    nyala("dispatch", "set", "single-queue").shouldSucceed();
    Process load = load(url);
    try {
      JSONObject report = contention();
      while (report.getFieldAsArray("waits").isEmpty()) {
        // The load has not begun yet, or has only bound: passwords have a queue of their own.
        report = contention();
      }
      assertThat(report.getFieldAsArray("strategies"))
          .containsExactly(new JSONString("single-queue"));
      long operations = report.getFieldAsLong("operations");
      assertThat(operations).isPositive();
      JSONObject lock = row(report, "locks", "shared queue: queue lock");
      // One of each client may have been under way at the beginning.
      assertThat(lock.getFieldAsLong("count")).isGreaterThanOrEqualTo(operations - LOAD_CLIENTS);
      assertThat(lock.getFieldAsLong("contended")).isBetween(0L, lock.getFieldAsLong("count"));
      JSONObject queue = row(report, "waits", "shared queue: queue");
      assertThat(queue.getFieldAsLong("waits")).isPositive();
      assertThat(queue.getFieldAsBigDecimal("totalMillis")).isPositive();
      eventually(
          "the expected report",
          () ->
              nyala("contention", "--seconds", "1")
                  .shouldSucceed()
                  .out()
                  .matches(
                      "(?s)strategy    single-queue\n.*  shared queue: queue lock .*  shared queue: queue .*"));
    } finally {
      load.destroy();
      load.waitFor();
    }
    refuseASecondMeasurement();
    nyala("stop").shouldSucceed();
  }

  private static JSONObject contention() throws Exception {
    return new JSONObject(nyala("contention", "--seconds", "1", "--json").shouldSucceed().out());
  }

  @Test
  void shouldRecordARunningServer() throws Exception {
    assertThat(nyala("record").exitCode()).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(nyala("record", "--seconds", "0").exitCode()).isEqualTo(ExitCode.USAGE);
    String url = readyUrl(nyala("start", "--listen", "ldap://127.0.0.1:0").shouldSucceed().out());
    Process load = load(url);
    Path file = folder.resolve("recorded.jfr");
    try {
      String said = recorded(file);
      while (said.startsWith("recorded 1 s: 0 operations")) {
        // The load has not begun yet.
        Files.delete(file);
        said = recorded(file);
      }
      assertThat(said).matches("(?s)recorded 1 s: [1-9]\\d* operations longer than 0 ms, .*");
    } finally {
      load.destroy();
      load.waitFor();
    }
    nyala("stop").shouldSucceed();
    assertThat(RecordingFile.readAllEvents(file))
        .extracting(event -> event.getEventType().getName())
        .contains("org.nyala.Operation", "jdk.CPULoad");
  }

  private static String recorded(Path file) throws Exception {
    return nyala("record", "--seconds", "1", "--longer-than", "0", "-o", file.toString())
        .shouldSucceed()
        .out();
  }

  private static Process load(String url) throws IOException {
    List<String> command =
        new ArrayList<>(List.of(home.resolve("bin/nyala-loadtest").toString(), "search"));
    command.addAll(List.of("--url", url, "--users", "500"));
    command.addAll(List.of("--rate", Integer.toString(LOAD_RATE)));
    command.addAll(List.of("--connections", Integer.toString(LOAD_CLIENTS)));
    command.addAll(List.of("--bind-dn", "uid=user.7,ou=People,dc=example,dc=com"));
    command.addAll(List.of("--password", "password.7", "--seconds", "900"));
    return Processes.start(
        folder, Map.of(), command, folder.resolve("load.out"), folder.resolve("load.err"));
  }

  private static JSONObject row(JSONObject report, String table, String site) {
    return report.getFieldAsArray(table).stream()
        .map(JSONObject.class::cast)
        .filter(row -> site.equals(row.getFieldAsString("site")))
        .findFirst()
        .orElseThrow(() -> new AssertionError(site + " is not in " + report));
  }

  private static void refuseASecondMeasurement() throws Exception {
    Process first = longMeasurement();
    try {
      Processes.Result second = nyala("contention", "--seconds", "1");
      while (second.exitCode() == ExitCode.OK) {
        // It came before the first one, which may have been rejected.
        if (!first.isAlive()) {
          first = longMeasurement();
        }
        second = nyala("contention", "--seconds", "1");
      }
      assertThat(second.exitCode()).isEqualTo(ExitCode.FAILED);
      assertThat(second.err())
          .contains("measurement of this server's contention is running")
          .hasLineCount(1);
    } finally {
      first.destroy();
      first.waitFor();
    }
  }

  private static Process longMeasurement() throws IOException {
    return Processes.start(
        folder,
        Map.of(),
        command("contention", "--seconds", "600"),
        folder.resolve("first.out"),
        folder.resolve("first.err"));
  }

  @Test
  void shouldStartTheLoadTester() throws Exception {
    Processes.Result help =
        Processes.run(
            folder, Map.of(), List.of(home.resolve("bin/nyala-loadtest").toString(), "--help"));
    assertThat(help.shouldSucceed().out()).contains("search");
  }

  /** The library of the store that others are compared with is none of the server's. */
  @Test
  void shouldKeepTheCachingStoreToTheLoadTester() throws Exception {
    try (JarFile jar = new JarFile(home.resolve("lib/nyala.jar").toFile())) {
      String path = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
      assertThat(path).contains("HdrHistogram-").doesNotContain("je-");
    }
    Processes.Result load =
        Processes.run(
            folder,
            Map.of(),
            List.of(
                home.resolve("bin/nyala-loadtest").toString(),
                "caching",
                "load",
                Files.writeString(
                        folder.resolve("one.ldif"),
                        "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n")
                    .toString(),
                "--data",
                folder.resolve("caching").toString()));
    assertThat(load.shouldSucceed().out()).contains("loaded 1 entries");
  }

  @Test
  void shouldRunBenchmarksThatComeWithIt() throws Exception {
    Path report = folder.resolve("benchmarks");
    Processes.Result benchmarks =
        Processes.run(
            folder,
            Map.of("NYALA_JAVA_OPTS", "-Djmh.ignoreLock=true"),
            List.of(
                home.resolve("bin/nyala-loadtest").toString(),
                "jmh",
                "--short",
                "--quiet",
                "--report",
                report.toString(),
                "LazinessBenchmark"));
    benchmarks.shouldSucceed();
    assertThat(Files.readString(report.resolve("results.json"))).contains("LazinessBenchmark");
  }
}
