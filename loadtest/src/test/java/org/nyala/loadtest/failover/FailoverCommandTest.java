package org.nyala.loadtest.failover;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.workload.ExitCode;

/** Runs the commands against servers that lose changes, or do not. */
class FailoverCommandTest {
  private static final int REGISTERS = 2;

  @TempDir private Path folder;

  private final LoadTester tester = new LoadTester();

  private static LossyServers servers(Loss loss, int count) throws Exception {
    return LossyServers.start(loss, count, REGISTERS, 30, new Random(Seeds.seed()));
  }

  private static String url(LossyServers servers, int place) {
    return "ldap://127.0.0.1:" + servers.servers().get(place).address().getPort();
  }

  private int run(String command, LossyServers servers, String... options) {
    List<String> all = new ArrayList<>(List.of(command, "--writes"));
    for (int i = 0; i < servers.servers().size(); i++) {
      all.addAll(List.of("--url", url(servers, i)));
    }
    all.addAll(Arrays.asList(options));
    return tester.run(all.toArray(String[]::new));
  }

  private String[] quick(String... further) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--registers=" + REGISTERS,
                "--operations=200",
                "--writes-per-second=0",
                "--seconds=60",
                "--settle-seconds=0.1"));
    all.addAll(Arrays.asList(further));
    return all.toArray(String[]::new);
  }

  @Test
  void shouldReportThatNothingIsLostAndRemoveWhatItMade() throws Exception {
    Path json = folder.resolve("results.json");
    try (LossyServers servers = servers(Loss.NONE, 2)) {
      assertThat(run("failover", servers, quick("--fault=none", "--json=" + json)))
          .as(tester.out() + tester.err())
          .isEqualTo(ExitCode.OK);

      assertThat(tester.out())
          .startsWith("No acknowledged write is lost; 0 of ")
          .contains(
              "A " + url(servers, 0) + ": took writes",
              "B " + url(servers, 1) + ": took no writes",
              "registers with the reads of all servers: linearizable");
      assertThat(tester.err()).startsWith("seed ").contains("removing ou=failover");
      assertThat(servers.entries()).as("entries that are left").isEqualTo(1);
    }
    JSONObject results = new JSONObject(Files.readString(json));
    assertThat(results.getFieldAsInteger("lost")).isZero();
    assertThat(results.getFieldAsInteger("acknowledged")).isGreaterThanOrEqualTo(200);
    assertThat(results.getFieldAsArray("servers")).hasSize(2);
  }

  @Test
  void shouldEndWithItsOwnCodeIfSomethingIsLostAndFindItAgainInTheHistory() throws Exception {
    Path history = folder.resolve("history");
    try (LossyServers servers = servers(Loss.LOST_ADD, 2)) {
      assertThat(run("failover", servers, quick("--history=" + history)))
          .isEqualTo(ExitCode.FAILED);
    }
    String out = tester.out();
    assertThat(out)
        .startsWith("1 of ")
        .contains(" acknowledged writes is lost; ", "lost in entry ");

    LoadTester again = new LoadTester();
    assertThat(again.run("failover", "check", "--history=" + history)).isEqualTo(ExitCode.FAILED);
    assertThat(again.out()).isEqualTo(out);
  }

  @Test
  void shouldFailByConditions() throws Exception {
    try (LossyServers servers = servers(Loss.NONE, 1)) {
      assertThat(run("failover", servers, quick("--fail-if=writes<1000000", "--fail-if=gap>1h")))
          .isEqualTo(ExitCode.USAGE);
      assertThat(tester.err()).contains("--fail-if must be a figure", "not gap>1h");

      assertThat(run("failover", servers, quick("--fail-if=writes<1000000", "--fail-if=gap>100s")))
          .isEqualTo(ExitCode.FAILED);
      assertThat(tester.out()).contains("and the test fails if writes<1000000.");
      assertThat(tester.out()).doesNotContain("fails if gap");
    }
  }

  @Test
  void shouldCauseFaults() throws Exception {
    Path file = folder.resolve("made");
    Process killed = new ProcessBuilder("sleep", "1000").start();
    Process stopped = new ProcessBuilder("sleep", "1000").start();
    Path pid = Files.writeString(folder.resolve("pid"), killed.pid() + "\n");
    try (LossyServers servers = servers(Loss.NONE, 2)) {
      int code =
          run(
              "failover",
              servers,
              "--registers=2",
              "--seconds=1",
              "--fault=kill:" + pid + "@0.2s",
              "--fault=stop:" + stopped.pid() + "@0.3s+0.2s",
              "--fault=command:touch " + file + "@0.1s",
              "--fault=command:echo never; exit 7@0.1s");

      assertThat(code).as(tester.err()).isEqualTo(ExitCode.OK);
      assertThat(killed.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(file).exists();
      assertThat(tester.out())
          .contains(
              "(kill -KILL " + killed.pid() + "): first acknowledged write after it after ",
              "(kill -STOP " + stopped.pid() + ", then kill -CONT " + stopped.pid() + ")",
              "(exit code 7: never)");
    } finally {
      killed.destroyForcibly();
      stopped.destroyForcibly();
    }
  }

  @Test
  void shouldSayThatNobodyCausedTheFaultByHand() throws Exception {
    try (LossyServers servers = servers(Loss.NONE, 1)) {
      assertThat(run("failover", servers, quick("--fault=manual"))).isEqualTo(ExitCode.OK);

      assertThat(tester.err()).contains("cause the fault now, and press Enter at the same time");
      assertThat(tester.out())
          .contains("--fault manual: Enter was not pressed before the end of the load.");
    }
  }

  /** A server may take longer to start again than the load lasts. */
  @Test
  void shouldNotTakeTheRestOfALongCommandForAGap() throws Exception {
    Path json = folder.resolve("long.json");
    try (LossyServers servers = servers(Loss.NONE, 1)) {
      assertThat(
              run(
                  "failover",
                  servers,
                  "--registers=2",
                  "--seconds=1",
                  "--fault=command:sleep 4@0.5s",
                  "--json=" + json))
          .as(tester.err())
          .isEqualTo(ExitCode.OK);
    }
    JSONObject results = new JSONObject(Files.readString(json));
    assertThat(results.getFieldAsBigDecimal("seconds").doubleValue()).isLessThan(3);
    assertThat(results.getFieldAsBigDecimal("gapSeconds").doubleValue()).isLessThan(2);
  }

  @Test
  void shouldExplainWrongOptions() throws Exception {
    assertUsage(
        "--writes must be given, as this test adds", "failover", "--url=ldap://127.0.0.1:1");
    assertUsage("--url must be given 1 to 26 times, not 0 times", "failover", "--writes");
    assertUsage(
        "--fault must be kill:PID@10s, stop:PID@10s+5s, command:SHELL@10s, manual or none",
        "failover",
        "--writes",
        "--fault=break:1@3s");
    assertUsage(
        "--fault must be about a process of this machine other than 1 and the load tester, not"
            + " kill:1@3s",
        "failover",
        "--writes",
        "--fault=kill:1@3s");
    assertUsage(
        "--fault must be at a time before the end of --seconds 5.0, not command:true@9s",
        "failover",
        "--writes",
        "--seconds=5",
        "--fault=command:true@9s");
    assertUsage(
        "--base must be the DN of an entry to create, ou=NAME,PARENT",
        "failover",
        "--writes",
        "--url=ldap://127.0.0.1:1",
        "--base=dc=example,dc=com");
    assertUsage(
        "--history: expected a file that can be read, found that /nowhere cannot",
        "failover",
        "check",
        "--history=/nowhere");
    Path file =
        Files.writeString(folder.resolve("other"), "nyala-failover-history 1\nserver x\nW 1\n");
    assertUsage(
        "--history: expected a record of a history in line 3 of " + file,
        "failover",
        "check",
        "--history=" + file);
    assertUsage("--url must be given 2 to 26 times", "lag", "--writes", "--url=ldap://127.0.0.1:1");
  }

  private void assertUsage(String sentence, String... arguments) {
    LoadTester fresh = new LoadTester();
    assertThat(fresh.run(arguments)).as(sentence).isEqualTo(ExitCode.USAGE);
    assertThat(fresh.err()).contains(sentence);
  }

  @Test
  void shouldExplainServersThatTakeNoPart() throws Exception {
    try (LossyServers servers = servers(Loss.NONE, 1)) {
      assertThat(run("failover", servers, "--url=ldap://127.0.0.1:1")).isEqualTo(ExitCode.FAILED);
      assertThat(tester.err())
          .contains(
              "--url: expected a server that answers at the beginning, found none at"
                  + " ldap://127.0.0.1:1");
      assertThat(run("failover", servers, "--base=ou=x,ou=missing,dc=example,dc=com"))
          .isEqualTo(ExitCode.FAILED);
      assertThat(tester.err())
          .contains(
              "--base: expected that one of the servers adds ou=x,ou=missing", "noSuchObject");
      assertThat(run("failover", servers, quick("--keep"))).isEqualTo(ExitCode.OK);
      assertThat(run("failover", servers, quick())).isEqualTo(ExitCode.FAILED);
      assertThat(tester.err())
          .contains("--base: expected an entry that is not there, so that the test can create it");
    }
  }

  @Test
  void shouldWaitInVainForAServerThatIsNoCopy() throws Exception {
    try (LossyServers servers = servers(Loss.NONE, 1);
        LossyServers others = servers(Loss.NONE, 1)) {
      assertThat(run("failover", servers, quick("--url", url(others, 0))))
          .isEqualTo(ExitCode.FAILED);
      assertThat(tester.err())
          .contains(
              "--url: expected that "
                  + url(others, 0)
                  + " gets what was added at "
                  + url(servers, 0)
                  + " within --settle-seconds 0.1, found noSuchObject (32)");
      assertThat(servers.entries()).as("entries that are left").isEqualTo(1);
    }
  }

  @Test
  void shouldMeasureTheLagOfACopy() throws Exception {
    Path json = folder.resolve("lag.json");
    try (LossyServers servers = servers(Loss.NONE_LATE_COPY, 2)) {
      assertThat(run("lag", servers, "--seconds=1", "--json=" + json)).isEqualTo(ExitCode.OK);

      assertThat(tester.out()).startsWith("Every write came; half of them within ");
      assertThat(servers.entries()).as("entries that are left").isEqualTo(1);
    }
    JSONObject copy =
        (JSONObject) new JSONObject(Files.readString(json)).getFieldAsArray("copies").getFirst();
    JSONObject lag = copy.getFieldAsObject("lagMicros");
    JSONObject resolution = copy.getFieldAsObject("resolutionMicros");
    assertThat(lag.getField("p50").toString())
        .satisfies(each -> assertThat(Double.parseDouble(each)).isBetween(10_000.0, 200_000.0));
    assertThat(resolution.getField("p50").toString())
        .satisfies(each -> assertThat(Double.parseDouble(each)).isBetween(1.0, 10_000.0));
  }
}
