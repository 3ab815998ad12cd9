package org.nyala.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.ServerProcess;
import org.nyala.tarball.ServiceSocket;

/** Tests a server under a service manager. */
@EnabledOnOs(OS.LINUX)
class HeartbeatTest {
  private static final String MONOTONIC = "MONOTONIC_USEC=";

  @TempDir Path folder;

  @Test
  void shouldTellTheServiceManagerWhatItDoesFromTheStartToTheEnd() throws Throwable {
    ServerProcess.configure(folder, "");
    try (ServiceSocket socket = ServiceSocket.open(folder.resolve("notify").toString())) {
      Map<String, String> environment =
          Map.of("NOTIFY_SOCKET", socket.address(), "WATCHDOG_USEC", "3000000");
      ServerProcess server =
          ServerProcess.start(folder, environment, ServerProcess.command(folder));
      try (server) {
        assertThat(socket.receive()).isEqualTo("STATUS=starting");
        // A long start extends its time-out before.
        assertThat(socket.receive("READY=1\n"))
            .isEqualTo("READY=1\nSTATUS=serving ldap://127.0.0.1:" + server.port());
        assertThat(socket.receive()).isEqualTo("WATCHDOG=1");
        assertThat(socket.receive()).isEqualTo("WATCHDOG=1");
        long before = ServiceSocket.monotonicMicros();
        int sent =
            new ProcessBuilder("kill", "-HUP", Long.toString(server.pid())).start().waitFor();
        assertThat(sent).isZero();
        String reloading = socket.receive("RELOADING=1\n");
        long after = ServiceSocket.monotonicMicros();
        String micros = reloading.lines().skip(1).findFirst().orElseThrow();
        assertThat(Long.parseLong(micros.substring(MONOTONIC.length()))).isBetween(before, after);
        assertThat(socket.receive("READY=1\n")).contains("STATUS=serving ldap://");
      }
      assertThat(socket.receive("STOPPING=1\n"))
          .isEqualTo("STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=55000000");
      assertThat(server.log()).doesNotContain("service manager");
    }
  }

  /** The manager's queue of unread notifications is full. */
  @Test
  void shouldTellAServiceManagerThatReadsLateThatItIsReady() throws Throwable {
    ServerProcess.configure(folder, "");
    try (ServiceSocket socket = ServiceSocket.open(folder.resolve("notify").toString())) {
      SystemdNotifierTest.fill(socket);
      Map<String, String> environment = Map.of("NOTIFY_SOCKET", socket.address());
      ServerProcess server =
          ServerProcess.start(folder, environment, ServerProcess.command(folder));
      try (server;
          LDAPConnection client = new LDAPConnection("127.0.0.1", server.port())) {
        assertThat(client.getRootDSE()).isNotNull();
        eventually("it is in the log", () -> server.log().contains("it does not read its socket"));
        socket.drain();
        assertThat(socket.receive("READY=1\n")).contains("STATUS=serving ldap://");
        eventually(
            "the delay is over", () -> server.log().contains("receives notifications again"));
      }
      assertThat(socket.receive()).startsWith("STOPPING=1\n");
    }
  }

  @Test
  void shouldServeWhenTheServiceManagerHasGone() throws Exception {
    ServerProcess.configure(folder, "");
    Map<String, String> environment =
        Map.of("NOTIFY_SOCKET", folder.resolve("nobody").toString(), "WATCHDOG_USEC", "3000000");
    ServerProcess server = ServerProcess.start(folder, environment, ServerProcess.command(folder));
    server.close();
    assertThat(server.log().lines().filter(line -> line.contains("receives no notifications")))
        .hasSize(1);
  }
}
