package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.Patience.eventuallyHolds;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.Epoch;
import org.nyala.core.backend.SyncCookie;
import org.nyala.error.ExitCode;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.replica.CutLine;
import org.nyala.replica.ProviderConnection;
import org.nyala.replica.SyncedServers;
import org.nyala.server.RunningServer;

/**
 * All that tells of a server that clients are to leave: a copy whose line has fallen silent, or
 * that has nothing yet, or whose provider is such a copy, and a writer after which another one was
 * promoted.
 */
@Timeout(300)
class ReadinessTest {
  private static final String TOP = "dc=example,dc=com";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();
  private final HttpClient http = HttpClient.newHttpClient();
  private Path watched;
  private int port;

  @BeforeEach
  void findPort() throws Exception {
    watched = Files.createDirectories(folder.resolve("watched"));
    port = FreePorts.take();
  }

  private int run(String... arguments) {
    return commands.run(watched.resolve("test.conf"), arguments);
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  private ServerProcess start(String more) throws IOException {
    return ServerProcess.start(
        watched,
        """
        management { http = "127.0.0.1:%d", watch { intervalSeconds = 1, copyLagSeconds = 3 } }
        %s
        """
            .formatted(port, more));
  }

  private ServerProcess startCopy(int provider) throws IOException {
    return start("serverId = 3\n" + replication(provider));
  }

  private static String replication(int provider) {
    return """
    replication { provider = "ldap://127.0.0.1:%d", bind { dn = "cn=admin", password = admin }
      idleCheckSeconds = 1, readyLagSeconds = 5, answerTimeoutSeconds = 300 }
    """
        .formatted(provider);
  }

  /** All tell so at one time: one answer that is late makes the copy doubtful for a moment. */
  private void shouldBeReady() throws Exception {
    eventuallyHolds(
        () -> {
          assertThat(run("sync", "status")).as(commands.out()).isEqualTo(ExitCode.OK);
          assertThat(commands.out())
              .contains("phase       following\n")
              .contains("ready       yes\n");
          assertThat(run("status")).as(commands.out()).isEqualTo(ExitCode.OK);
          assertThat(commands.out())
              .contains("1 of 1 follow their provider")
              .doesNotContain("not ready");
          assertThat(get("/ready").statusCode()).isEqualTo(200);
          assertThat(get("/metrics").body())
              .contains("ldap_server_copy_ready{suffix=\"dc=example,dc=com\"} 1.0")
              .contains("ldap_server_copy_following{suffix=\"dc=example,dc=com\"} 1.0");
        });
  }

  /** The connection stays open, and nothing arrives over it: not even the answer to a question. */
  private void shouldNotBeReady(String phase) throws Exception {
    int following = phase.equals("following") ? 1 : 0;
    eventuallyHolds(
        () -> {
          assertThat(get("/ready").statusCode()).isEqualTo(503);
          assertThat(get("/metrics").body())
              .contains("ldap_server_copy_ready{suffix=\"dc=example,dc=com\"} 0.0")
              .contains(
                  "ldap_server_copy_following{suffix=\"dc=example,dc=com\"} " + following + ".0");
          assertThat(run("sync", "status")).isEqualTo(ExitCode.FAILED);
          assertThat(commands.out())
              .contains("phase       " + phase + "\n")
              .contains("ready       no\n");
          assertThat(run("status")).as(commands.out()).isEqualTo(ExitCode.NOT_READY);
          assertThat(commands.out())
              .contains(following + " of 1 follow their provider")
              .contains("1 not ready");
          shouldLive();
        });
  }

  /** Its event loops answer within a second, which they may not at a moment of much work. */
  private void shouldLive() throws Exception {
    assertThat(get("/live").statusCode()).isEqualTo(200);
    assertThat(run("status", "--live")).isEqualTo(ExitCode.OK);
  }

  private RunningServer startSource() throws Exception {
    return LocalServer.start(Files.createDirectories(folder.resolve("source")), "serverId = 1");
  }

  private static CutLine line(RunningServer to) throws IOException {
    return new CutLine(LocalServer.port(to), () -> Long.MAX_VALUE);
  }

  private static void addTop(RunningServer server) throws Exception {
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    }
  }

  private void shouldAlarm(String why) throws Exception {
    eventually("an alarm", () -> run("status") == ExitCode.NOT_READY && isAlarmed(why));
  }

  private void shouldAlarmNoMore() throws Exception {
    eventually("no alarm", () -> run("status") == ExitCode.OK && !isAlarmed(""));
  }

  private boolean isAlarmed(String why) {
    return commands
        .out()
        .contains("alarms       a copy is not kept up to date: " + TOP + ": " + why);
  }

  @Test
  void aSilentLineIsToldByAllAlike() throws Exception {
    try (RunningServer source = startSource();
        CutLine line = line(source)) {
      line.hold(true);
      addTop(source);
      try (ServerProcess _ = startCopy(line.port())) {
        shouldNotBeReady("waiting");
        line.hold(false);
        shouldBeReady();
        line.hold(true);
        shouldNotBeReady("silent");
        shouldAlarm("silent");
        line.hold(false);
        shouldBeReady();
        shouldAlarmNoMore();
      }
    }
  }

  /** The line to its own provider is good, and that one follows nobody. */
  @Test
  void aCopyOfAStaleCopyIsStaleToo() throws Exception {
    try (RunningServer source = startSource();
        CutLine line = line(source);
        RunningServer middle =
            LocalServer.start(
                Files.createDirectories(folder.resolve("middle")),
                "serverId = 2\n" + replication(line.port()))) {
      addTop(source);
      try (ServerProcess _ = startCopy(LocalServer.port(middle))) {
        shouldBeReady();
        line.hold(true);
        shouldNotBeReady("following");
        shouldAlarm("following");
        line.hold(false);
        shouldBeReady();
        shouldAlarmNoMore();
      }
    }
  }

  /** Tells the server what its copies would tell it. */
  private static void tell(ServerProcess server, Epoch epoch) throws Exception {
    String root = "cn=admin";
    try (ProviderConnection copy =
        ProviderConnection.open(
            SyncedServers.access("ldap://127.0.0.1:" + server.port(), root, "admin"), _ -> {})) {
      ContextEpochs known = new ContextEpochs(epoch, Epoch.NONE);
      SyncCookie answer =
          copy.question(TOP, SyncCookie.ofQuestion(1, known, CsnVector.EMPTY).toString());
      assertThat(answer).isNotNull();
    }
  }

  @Test
  void aWriterAfterWhichAnotherWasPromotedIsToldByAllAlike() throws Exception {
    try (ServerProcess writer = start("serverId = 1");
        LDAPConnection root = writer.client("cn=admin", "admin")) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      eventually("it is ready", () -> run("status") == ExitCode.OK);
      assertThat(commands.out()).doesNotContain("epoch ");
      eventually("/ready says so", () -> get("/ready").statusCode() == 200);
      tell(writer, new Epoch(7, 9, "0123456789abcdef"));
      assertThat(get("/ready").statusCode()).isEqualTo(503);
      eventuallyHolds(this::shouldLive);
      assertThat(get("/metrics").body()).contains("ldap_server_contexts_superseded 1.0");
      String who = "server 9 was promoted to change " + TOP + " in epoch 7";
      eventually(
          "status says so",
          () -> run("status") == ExitCode.NOT_READY && commands.out().contains(who));
      assertThat(commands.out())
          .contains("epoch        0; another server was promoted later, see nyala sync status\n")
          .contains(
              "alarms       " + who + ", the data here is of epoch 0, and this server changes");
      assertThat(run("sync", "status")).isEqualTo(ExitCode.FAILED);
      assertThat(commands.out())
          .contains("this server copies nothing\nepoch       0 of " + TOP + "\n")
          .contains("superseded  by epoch 7 of server 9\nremedy      have this server copy from");
      assertRefused(root, "server 9 was promoted to change " + TOP + ", in epoch 7");
      assertThat(run("promote")).isEqualTo(ExitCode.FAILED);
      assertThat(commands.out()).contains("not promoted: server 9 was promoted in epoch 7");
      assertThat(run("promote", "--force")).isEqualTo(ExitCode.OK);
      eventually("/ready says so", () -> get("/ready").statusCode() == 200);
      root.add("dn: ou=again," + TOP, "objectClass: organizationalUnit");
      eventually(
          "status says so",
          () -> run("status") == ExitCode.OK && commands.out().contains("alarms       none"));
      assertThat(commands.out()).contains("epoch        8, changed by server 1\n");
      assertThat(run("sync", "status")).isEqualTo(ExitCode.OK);
      assertThat(commands.out())
          .contains("epoch       8 of " + TOP + ", changed by server 1\n")
          .doesNotContain("superseded");
    }
  }

  private static void assertRefused(LDAPConnection root, String reason) {
    assertThatThrownBy(() -> root.add("dn: ou=refused," + TOP, "objectClass: organizationalUnit"))
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM))
        .hasMessageContaining(reason);
  }
}
