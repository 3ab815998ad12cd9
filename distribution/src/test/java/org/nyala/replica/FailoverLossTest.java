package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.util.json.JSONObject;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.loadtest.cli.Main;
import org.nyala.process.FreePorts;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;
import picocli.CommandLine;

/** Kills servers under the load of the load tester, which looks for what they acknowledged. */
@Timeout(300)
class FailoverLossTest {
  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private JSONObject failover(String url, String copy, String dn, String password, String... more)
      throws Exception {
    Path json = folder.resolve("failover.json");
    List<String> arguments =
        new ArrayList<>(List.of("failover", "--writes", "--url=" + url, "--url=" + copy));
    arguments.addAll(List.of("--bind-dn=" + dn, "--password=" + password, "--json=" + json));
    arguments.addAll(List.of("--writers=2", "--readers=1"));
    arguments.addAll(Arrays.asList(more));
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    command.execute(arguments.toArray(String[]::new));
    assertThat(json).as(out + "\n" + err).exists();
    return new JSONObject(Files.readString(json));
  }

  private Path folder(String name) throws Exception {
    return Files.createDirectories(folder.resolve(name));
  }

  private static String command(List<String> words) {
    return words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
  }

  /** The provider has all that it acknowledged when it starts again, and so has the copy. */
  @Test
  void aKilledProviderLosesNothing() throws Exception {
    int port = FreePorts.take();
    String listener = "listeners = [\"ldap://127.0.0.1:" + port + "\"]\nserverId = 1\n";
    Path data = folder("provider");
    Path again = folder.resolve("again.pid");
    try (ServerProcess provider = ServerProcess.start(data, listener)) {
      addTop(provider);
      String url = "ldap://127.0.0.1:" + port;
      try (ServerProcess copy =
          ServerProcess.start(
              folder("copy"), "serverId = 2\n" + consuming(url, "cn=admin", "admin"))) {
        String start =
            """
            COMMAND >LOG 2>&1 & echo $! >PID
            until grep -q 'nyala ready' LOG; do kill -0 $! || exit 1; sleep 0.1; done
            """
                .replace("COMMAND", command(ServerProcess.command(data)))
                .replace("LOG", folder.resolve("again.log").toString())
                .replace("PID", again.toString());
        JSONObject found =
            failover(
                url,
                "ldap://127.0.0.1:" + copy.port(),
                "cn=admin",
                "admin",
                "--seconds=200",
                "--operations=120",
                "--writes-per-second=20",
                "--fault=kill:" + provider.pid() + "@1s",
                "--fault=command:" + start + "@1.2s");
        provider.kill();

        JSONObject restart = (JSONObject) found.getFieldAsArray("faults").getLast();
        assertThat(restart.getFieldAsString("result")).isEmpty();
        JSONObject restarted = (JSONObject) found.getFieldAsArray("servers").getFirst();
        assertThat(restarted.getFieldAsBoolean("answersAtEnd")).isTrue();
        assertThat(found.getFieldAsInteger("lost")).as(out.toString()).isZero();
        assertThat(found.getFieldAsInteger("half")).as(out.toString()).isZero();
        assertThat(found.getFieldAsInteger("differing")).as(out.toString()).isZero();
        assertThat(found.getFieldAsInteger("notLinearizableAtWriter")).as(out.toString()).isZero();
        assertThat(found.getFieldAsInteger("acknowledged")).isGreaterThanOrEqualTo(120);
      } finally {
        if (Files.exists(again)) {
          long pid = Long.parseLong(Files.readString(again).strip());
          ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
      }
    }
  }

  private static void addTop(ServerProcess provider) throws Exception {
    try (LDAPConnection client = provider.client("cn=admin", "admin")) {
      client.add(
          "dn: " + SyncSlapd.SUFFIX,
          "objectClass: organization",
          "objectClass: dcObject",
          "o: x",
          "dc: example");
    }
  }

  /** A promoted copy may lack the last changes, but has no half ones, and goes on alone. */
  @Test
  void aPromotedCopyGoesOn() throws Exception {
    try (ServerProcess provider = ServerProcess.start(folder("provider"), "serverId = 1")) {
      addTop(provider);
      String url = "ldap://127.0.0.1:" + provider.port();
      Path data = folder("copy");
      try (ServerProcess copy =
          ServerProcess.start(data, "serverId = 2\n" + consuming(url, "cn=admin", "admin"))) {
        String promote =
            command(
                ProgramJvm.command(
                    List.of(),
                    List.of("promote", "--force", "--config=" + data.resolve("test.conf"))));
        JSONObject found =
            failover(
                url,
                "ldap://127.0.0.1:" + copy.port(),
                "cn=admin",
                "admin",
                "--seconds=200",
                "--operations=120",
                "--writes-per-second=20",
                "--settle-seconds=5",
                "--fault=kill:" + provider.pid() + "@1s",
                "--fault=command:" + promote + "@1.2s");
        provider.kill();

        assertThat(found.getFieldAsInteger("half")).as(out.toString()).isZero();
        assertThat(found.getFieldAsInteger("refusedThere")).as(out.toString()).isZero();
        JSONObject promotion = (JSONObject) found.getFieldAsArray("faults").getLast();
        assertThat(promotion.getFieldAsString("result")).isEmpty();
        assertThat(promotion.getFieldAsString("firstWriteAt"))
            .as(out.toString())
            .isEqualTo("ldap://127.0.0.1:" + copy.port());
      }
    }
  }

  /** Two slapd that both take changes: writers go on at the other one at once. */
  @Test
  void aKilledMirrorOfSlapdIsReplacedByTheOther() throws Exception {
    int first = FreePorts.take();
    int second = FreePorts.take();
    try (SyncSlapd one = SyncSlapd.mirror(folder("one"), 1, first, second);
        SyncSlapd two = SyncSlapd.mirror(folder("two"), 2, second, first)) {
      one.addTop();
      eventually("the other one has the entry at the top", () -> hasTop(two));

      JSONObject found =
          failover(
              one.url(),
              two.url(),
              SyncSlapd.ADMIN,
              SyncSlapd.PASSWORD,
              "--seconds=3",
              "--fault=kill:" + one.pid() + "@1s");

      assertThat(found.getFieldAsInteger("half")).as(out.toString()).isZero();
      JSONObject fault = (JSONObject) found.getFieldAsArray("faults").getFirst();
      assertThat(fault.getFieldAsString("firstWriteAt")).as(out.toString()).isEqualTo(two.url());
      assertThat(out.toString()).contains("; no answer at the end", "; answers at the end");
    }
  }

  /** The fault is caused by the test, which presses Enter; the load tester reads it from a pipe. */
  @Test
  void aFaultByHandIsTakenFromEnter() throws Exception {
    int first = FreePorts.take();
    int second = FreePorts.take();
    try (SyncSlapd one = SyncSlapd.mirror(folder("one"), 1, first, second);
        SyncSlapd two = SyncSlapd.mirror(folder("two"), 2, second, first)) {
      one.addTop();
      eventually("the other one has the entry at the top", () -> hasTop(two));
      Path json = folder.resolve("manual.json");
      Process tester =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Main.class.getName(),
                  "failover",
                  "--writes",
                  "--url=" + one.url(),
                  "--url=" + two.url(),
                  "--bind-dn=" + SyncSlapd.ADMIN,
                  "--password=" + SyncSlapd.PASSWORD,
                  "--seconds=4",
                  "--settle-seconds=2",
                  "--fault=manual",
                  "--json=" + json)
              .redirectOutput(folder.resolve("manual.out").toFile())
              .start();
      try (BufferedReader said = tester.errorReader();
          Writer keys = tester.outputWriter()) {
        String line = said.readLine();
        while (line != null && !line.startsWith("cause the fault now")) {
          line = said.readLine();
        }
        assertThat(line).isEqualTo("cause the fault now, and press Enter at the same time");
        assertThat(ProcessHandle.of(one.pid()).orElseThrow().destroyForcibly()).isTrue();
        keys.write("\n");
        keys.flush();
        said.lines().forEach(_ -> {});
        assertThat(tester.waitFor(60, TimeUnit.SECONDS)).isTrue();
      } finally {
        tester.destroyForcibly();
      }

      JSONObject found = new JSONObject(Files.readString(json));
      JSONObject fault = (JSONObject) found.getFieldAsArray("faults").getFirst();
      assertThat(fault.getFieldAsString("fault")).isEqualTo("manual");
      assertThat(fault.getFieldAsString("result")).isEqualTo("by hand");
      assertThat(fault.getFieldAsString("firstWriteAt")).isEqualTo(two.url());
      JSONObject killed = (JSONObject) found.getFieldAsArray("servers").getFirst();
      assertThat(killed.getFieldAsBoolean("answersAtEnd")).isFalse();
      assertThat(found.getFieldAsInteger("half")).isZero();
    }
  }

  private static boolean hasTop(SyncSlapd server) {
    try (LDAPConnection client = server.client()) {
      return client.getEntry(SyncSlapd.SUFFIX) != null;
    } catch (com.unboundid.ldap.sdk.LDAPException e) {
      return false;
    }
  }
}
