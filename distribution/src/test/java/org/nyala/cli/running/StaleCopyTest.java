package org.nyala.cli.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.replica.CutLine;
import org.nyala.server.RunningServer;

/** All that tells of a copy whose line has fallen silent, or that has nothing yet. */
@Timeout(300)
class StaleCopyTest {
  private static final String TOP = "dc=example,dc=com";

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();
  private final HttpClient http = HttpClient.newHttpClient();
  private Path copy;
  private int port;

  private int run(String... arguments) {
    return commands.run(copy.resolve("test.conf"), arguments);
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  private void shouldBeReady() throws Exception {
    eventually("it follows", () -> run("sync", "status") == ExitCode.OK);
    assertThat(commands.out()).contains("phase       following\n").contains("ready       yes\n");
    eventually("status says so", () -> run("status") == ExitCode.OK);
    assertThat(commands.out()).contains("1 of 1 follow their provider").doesNotContain("not ready");
    assertThat(get("/ready").statusCode()).isEqualTo(200);
    assertThat(get("/metrics").body())
        .contains("ldap_server_copy_ready{suffix=\"dc=example,dc=com\"} 1.0")
        .contains("ldap_server_copy_following{suffix=\"dc=example,dc=com\"} 1.0");
  }

  /** The connection stays open, and nothing arrives over it: not even the answer to a question. */
  private void shouldNotBeReady(String phase) throws Exception {
    eventually("/ready says so", () -> get("/ready").statusCode() == 503);
    assertThat(get("/live").statusCode()).isEqualTo(200);
    assertThat(get("/metrics").body())
        .contains("ldap_server_copy_ready{suffix=\"dc=example,dc=com\"} 0.0")
        .contains("ldap_server_copy_following{suffix=\"dc=example,dc=com\"} 0.0");
    assertThat(run("sync", "status")).isEqualTo(ExitCode.FAILED);
    assertThat(commands.out()).contains("phase       " + phase + "\n").contains("ready       no\n");
    eventually("status says so", () -> run("status") == ExitCode.NOT_READY);
    assertThat(commands.out()).contains("0 of 1 follow their provider").contains("1 not ready");
    assertThat(run("status", "--live")).isEqualTo(ExitCode.OK);
  }

  @Test
  void aSilentLineIsToldByAllAlike() throws Exception {
    copy = Files.createDirectories(folder.resolve("copy"));
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    try (RunningServer provider =
            LocalServer.start(Files.createDirectories(folder.resolve("p")), "serverId = 1");
        LDAPConnection root = LocalServer.connectAsRoot(provider);
        CutLine line = new CutLine(LocalServer.port(provider), () -> Long.MAX_VALUE)) {
      line.hold(true);
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      try (ServerProcess _ =
          ServerProcess.start(
              copy,
              """
              serverId = 2, suffixes = ["%s"], management {
                http = "127.0.0.1:%d", watch { intervalSeconds = 1, copyLagSeconds = 3 } }
              replication { provider = "ldap://127.0.0.1:%d", bind { dn = "cn=admin", password = admin }
                idleCheckSeconds = 1, readyLagSeconds = 4, answerTimeoutSeconds = 300 }
              """
                  .formatted(TOP, port, line.port()))) {
        shouldNotBeReady("waiting");
        line.hold(false);
        shouldBeReady();
        line.hold(true);
        shouldNotBeReady("silent");
        eventually("an alarm", () -> run("status") == ExitCode.NOT_READY && isAlarmed("silent"));
        line.hold(false);
        shouldBeReady();
        eventually("no alarm", () -> run("status") == ExitCode.OK && !isAlarmed(""));
      }
    }
  }

  private boolean isAlarmed(String why) {
    return commands
        .out()
        .contains("alarms       a copy is not kept up to date: " + TOP + ": " + why);
  }
}
