package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.util.json.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.management.Counter;
import org.nyala.management.Counters;
import org.nyala.management.CountersFile;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;
import org.nyala.service.RunDirectory;

/** Tests the output of {@code nyala status} on servers that run, stand still or were killed. */
class StatusCommandTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String WATCH = "management.watch.intervalSeconds = 3600";

  @TempDir Path folder;

  private final LocalCommands nyala = new LocalCommands();

  private int status(String... more) {
    List<String> arguments = new ArrayList<>(List.of("status"));
    arguments.addAll(List.of(more));
    return nyala.run(folder.resolve("test.conf"), arguments.toArray(String[]::new));
  }

  private String said() {
    return nyala.out() + nyala.err();
  }

  private JSONObject json() throws Exception {
    int _ = status("--json");
    return new JSONObject(said());
  }

  private static long counter(JSONObject json, Counter counter) {
    return json.getFieldAsObject("counters").getFieldAsLong(counter.label());
  }

  private static void signal(String name, long pid) throws Exception {
    int exit = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
    assertThat(exit).isZero();
  }

  /** Waits for an answer: a machine that stands still gives no signs for a while. */
  private void awaitAnswer() throws Exception {
    eventually("it answers", () -> status() == ExitCode.OK);
  }

  private static LDAPConnection connect(ServerProcess server) throws Exception {
    return new LDAPConnection("127.0.0.1", server.port(), "cn=admin", "admin");
  }

  @Test
  void shouldShowWhatWasSent() throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, WATCH)) {
      try (LDAPConnection client = connect(server)) {
        client.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
        for (int i = 0; i < 7; i++) {
          client.search(SUFFIX, SearchScope.BASE, "(objectClass=*)");
        }
        List<JSONObject> seen = new ArrayList<>();
        eventually(
            "it answers and has counted all searches",
            () -> {
              JSONObject now = json();
              seen.add(now);
              return now.getFieldAsBoolean("answering")
                  && counter(now, Counter.SEARCH_COMPLETED) == 7;
            });
        JSONObject json = seen.getLast();
        assertThat(json.getFieldAsBoolean("running")).isTrue();
        assertThat(json.getFieldAsLong("pid")).isEqualTo(server.pid());
        assertThat(json.getFieldAsString("strategy")).isEqualTo("adaptive");
        assertThat(json.getFieldAsArray("alarms")).isEmpty();
        JSONObject counters = json.getFieldAsObject("counters");
        assertThat(counters.getFields()).hasSize(Counter.values().length);
        Map<Counter, Long> expected =
            Map.of(
                Counter.PID, server.pid(),
                Counter.STATE, Counters.SERVING,
                Counter.CONNECTIONS, 1L,
                Counter.BIND_STARTED, 1L,
                Counter.BIND_COMPLETED, 1L,
                Counter.ADD_COMPLETED, 1L,
                Counter.STORE_ENTRIES, 1L,
                Counter.STORE_FAILURES, 0L);
        expected.forEach(
            (counter, value) ->
                assertThat(counters.getFieldAsLong(counter.label()))
                    .as(counter.label())
                    .isEqualTo(value));
        assertThat(counters.getFieldAsLong(Counter.STORE_LAST_COMMIT_MILLIS.label())).isPositive();
      }
      awaitAnswer();
      assertThat(said())
          .startsWith("nyala is running, pid " + server.pid() + "\nldap://127.0.0.1:")
          .contains("\nstrategy     adaptive\n", "\nalarms       none\n", "\n  search      ")
          .containsPattern(
              "\nstore        1 entries, \\d+\\.\\d MiB \\(limit \\d+ [MGT]iB\\), transaction ");
    }
    assertThat(status()).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(said()).isEqualTo("nyala is not running\n");
    assertThat(folder.resolve("data/run/nyala.counters")).doesNotExist();
  }

  @Test
  void shouldTellThatAServerStandsStillAndShowWhatItHadCounted() throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, WATCH)) {
      eventually(
          "it answers and has counted",
          () -> status() == ExitCode.OK && said().contains("strategy"));
      signal("STOP", server.pid());
      try {
        eventually("it does not answer", () -> status("--patience=1") == ExitCode.NOT_ANSWERING);
        assertThat(said())
            .matches(
                "(?s)nyala does not answer, pid "
                    + server.pid()
                    + ": its last heartbeat was [1-9]\\d*\\.\\d s ago\nldap://.*")
            .contains("\nconnections  0 open, 0 accepted\n");
        assertThat(json().getFieldAsBoolean("running")).isTrue();
        // The holder of the data is still known.
        assertThat(nyala.run(folder.resolve("test.conf"), "serve"))
            .isEqualTo(ExitCode.ALREADY_RUNNING);
      } finally {
        signal("CONT", server.pid());
      }
      eventually("it answers again", () -> status("--patience=1") == ExitCode.OK);
    }
  }

  @Test
  void shouldTellOfAServerThatWasKilledUntilTheNextOneStarts() throws Exception {
    ServerProcess first = ServerProcess.start(folder, WATCH);
    first.kill();
    assertThat(status()).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(said())
        .startsWith("nyala is not running\nthe previous server, pid " + first.pid())
        .contains("was not stopped: it was killed or has crashed, and was last seen at 20");
    assertThat(json().getFieldAsBoolean("running")).isFalse();
    try (ServerProcess second = ServerProcess.start(folder, WATCH)) {
      assertThat(second.log())
          .contains("the previous server, pid " + first.pid() + ", was not stopped");
      awaitAnswer();
    }
    assertThat(status()).isEqualTo(ExitCode.NOT_RUNNING);
    assertThat(said()).isEqualTo("nyala is not running\n");
  }

  @Test
  void shouldDoWithoutAFileThatCannotBeMade() throws Exception {
    // A folder that is not empty, at the path that the file is written to first.
    Files.createDirectories(folder.resolve("data/run/nyala.counters.new/other"));
    try (ServerProcess server = ServerProcess.start(folder, WATCH)) {
      assertThat(server.log())
          .contains("cannot create the file of counters, continuing without it: ");
      assertThat(status()).isEqualTo(ExitCode.OK);
      assertThat(said()).startsWith("nyala is running, pid ").hasLineCount(2);
    }
  }

  @Test
  void shouldTellOfEventLoopsThatHang() throws Exception {
    StatusReport report = report(Map.of(Counter.STATE, Counters.SERVING), 0);
    assertThat(report.isAnswering()).isFalse();
    assertThat(report.lines().getFirst())
        .isEqualTo("nyala does not answer, pid 17: an event loop has done nothing for a second");
    Map<Counter, Long> good =
        Map.of(Counter.STATE, Counters.SERVING, Counter.EVENT_LOOPS_ANSWER, 1L);
    assertThat(report(good, 5000).isAnswering()).isTrue();
    assertThat(report(good, 5001).isAnswering()).isFalse();
  }

  @Test
  void shouldTellWhatAServerIsAbout() throws Exception {
    assertThat(report(Map.of(Counter.STATE, Counters.STOPPING), 0).lines().getFirst())
        .isEqualTo("nyala is stopping, pid 17");
    StatusReport starting = report(Map.of(Counter.STATE, Counters.STARTING), 0);
    assertThat(starting.lines().getFirst()).isEqualTo("nyala is running, pid 17");
    assertThat(
            new StatusReport(
                    new RunDirectory.Holder(17, List.of()), starting.counters(), 0, 0, 5000)
                .lines()
                .getFirst())
        .isEqualTo("nyala is starting, pid 17");
  }

  @Test
  void shouldTellWhatExtensionsHaveCounted() throws Exception {
    StatusReport report = report(Map.of(Counter.STATE, Counters.SERVING), 0);
    assertThat(report.lines()).contains("extension    short-values refused: 4");
    assertThat(report.json()).contains("\"extensions\":{\"short-values refused\":4}");
  }

  private StatusReport report(Map<Counter, Long> numbers, long silentMillis) throws Exception {
    Path path = folder.resolve("counters");
    try (CountersFile file = CountersFile.create(path, "nyala")) {
      file.write(numbers, Map.of("short-values refused", 4L), "striped", "");
    }
    Optional<Counters> counters = Counters.read(path);
    return new StatusReport(
        new RunDirectory.Holder(17, List.of("ldap://x")),
        counters,
        0,
        silentMillis * 1_000_000,
        5000);
  }

  /** A mistake made while the server runs: it is stopped to be mended, not killed. */
  @Test
  void shouldReachAServerWhoseConfigurationWasBrokenSince() throws Exception {
    Path file = ServerProcess.configure(folder, WATCH);
    String sound = Files.readString(file);
    for (String broken :
        List.of(
            sound.replaceFirst("nyala \\{", "nyala { limits.sizeLimit = lots\n"),
            sound + "\nnyala { unfinished = ")) {
      Files.writeString(file, sound);
      try (ServerProcess server = ServerProcess.serve(folder)) {
        Files.writeString(file, broken);
        eventually("it answers", () -> status() == ExitCode.OK);
        assertThat(nyala.out()).startsWith("nyala is running, pid " + server.pid());
        assertThat(nyala.err()).contains("cannot be used any more").hasLineCount(1);
        assertThat(nyala.run(file, "restart")).isEqualTo(ExitCode.USAGE);
        eventually("it answers still", () -> status() == ExitCode.OK);
        assertThat(nyala.run(file, "stop")).isEqualTo(ExitCode.OK);
        assertThat(nyala.out()).isEqualTo("nyala stopped\n");
      }
      assertThat(status()).isEqualTo(ExitCode.USAGE);
    }
  }
}
