package org.nyala.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.service.SystemdNotifier.UnixDatagram;
import org.nyala.tarball.ServiceSocket;

/** Tests the notifications to a service manager, over a socket like systemd's. */
@EnabledOnOs(OS.LINUX)
class SystemdNotifierTest {
  private static final long PID = 4711;

  /** The time after which a test hangs; nothing here waits. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  private static SystemdNotifier manager(Map<String, String> environment) {
    return SystemdNotifier.of(environment, PID, () -> 12_345_678_999L);
  }

  @Test
  void shouldTellWhatTheServiceDoesAtAPath() throws Throwable {
    try (ServiceSocket socket = ServiceSocket.open(folder.resolve("notify").toString())) {
      tellAll(socket);
    }
  }

  @Test
  void shouldTellItAtAnAbstractName() throws Throwable {
    try (ServiceSocket socket = ServiceSocket.open("@nyala-test/" + UUID.randomUUID())) {
      tellAll(socket);
    }
  }

  private static void tellAll(ServiceSocket socket) throws Throwable {
    SystemdNotifier manager = manager(Map.of("NOTIFY_SOCKET", socket.address()));
    manager.starting();
    assertThat(socket.receive()).isEqualTo("STATUS=starting");
    manager.extend(30);
    assertThat(socket.receive()).isEqualTo("EXTEND_TIMEOUT_USEC=30000000");
    manager.ready(List.of("ldap://a:1", "ldap://b:2"));
    assertThat(socket.receive()).isEqualTo("READY=1\nSTATUS=serving ldap://a:1 ldap://b:2");
    manager.reloading();
    assertThat(socket.receive())
        .isEqualTo("RELOADING=1\nMONOTONIC_USEC=12345678\nSTATUS=reading the configuration again");
    manager.reloaded();
    assertThat(socket.receive()).isEqualTo("READY=1\nSTATUS=serving ldap://a:1 ldap://b:2");
    // The manager has not requested it.
    manager.alive();
    manager.stopping(55);
    assertThat(socket.receive())
        .isEqualTo("STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=55000000");
  }

  @Test
  void shouldFeedTheWatchdogWhenThisProcessIsAskedTo() throws Throwable {
    try (ServiceSocket socket = ServiceSocket.open(folder.resolve("notify").toString())) {
      String address = socket.address();
      manager(Map.of("NOTIFY_SOCKET", address, "WATCHDOG_USEC", "1", "WATCHDOG_PID", "4712"))
          .alive();
      manager(Map.of("NOTIFY_SOCKET", address, "WATCHDOG_PID", "4711")).alive();
      manager(Map.of("NOTIFY_SOCKET", address)).starting();
      assertThat(socket.receive()).isEqualTo("STATUS=starting");
      manager(Map.of("NOTIFY_SOCKET", address, "WATCHDOG_USEC", "1", "WATCHDOG_PID", "4711"))
          .alive();
      assertThat(socket.receive()).isEqualTo("WATCHDOG=1");
      manager(Map.of("NOTIFY_SOCKET", address, "WATCHDOG_USEC", "1")).alive();
      assertThat(socket.receive()).isEqualTo("WATCHDOG=1");
    }
  }

  @Test
  void shouldGoOnWhenNobodyListens() {
    SystemdNotifier.none().starting();
    manager(Map.of()).starting();
    manager(Map.of("NOTIFY_SOCKET", "")).starting();
    for (String address :
        List.of(folder.resolve("nobody").toString(), "vsock:2:1", "@" + "x".repeat(200))) {
      SystemdNotifier manager = manager(Map.of("NOTIFY_SOCKET", address));
      manager.starting();
      manager.stopping(1);
    }
  }

  /** Fills the queue of a socket without a reader. */
  static void fill(ServiceSocket socket) throws IOException {
    try (UnixDatagram other = UnixDatagram.open()) {
      int sent = 0;
      while (other.send(socket.address(), "x")) {
        assertThat(++sent).as("the queue is bounded").isLessThan(1_000_000);
      }
      assertThat(sent).isPositive();
    }
  }

  @Test
  void shouldNotWaitForAManagerThatReadsNothing() throws Throwable {
    try (ServiceSocket socket = ServiceSocket.open(folder.resolve("notify").toString())) {
      assertTimeoutPreemptively(
          PATIENCE,
          () -> {
            fill(socket);
            SystemdNotifier manager =
                manager(Map.of("NOTIFY_SOCKET", socket.address(), "WATCHDOG_USEC", "1"));
            manager.starting();
            manager.extend(1);
            manager.ready(List.of("ldap://a:1"));
            manager.alive();
            manager.reloading();
            manager.reloaded();
            manager.stopping(1);
            manager.catchUp();
            manager.close();
          });
    }
  }

  @Test
  void shouldTellAManagerThatReadsLateWhatStateTheServiceIsIn() throws Throwable {
    try (ServiceSocket socket = ServiceSocket.open(folder.resolve("notify").toString())) {
      assertTimeoutPreemptively(PATIENCE, () -> fill(socket));
      SystemdNotifier manager =
          manager(Map.of("NOTIFY_SOCKET", socket.address(), "WATCHDOG_USEC", "1"));
      manager.starting();
      manager.ready(List.of("ldap://a:1"));
      manager.alive();
      socket.drain();
      manager.alive();
      assertThat(socket.receive()).isEqualTo("READY=1\nSTATUS=serving ldap://a:1");
      assertThat(socket.receive()).isEqualTo("WATCHDOG=1");
      manager.alive();
      assertThat(socket.receive()).isEqualTo("WATCHDOG=1");
    }
  }

  @Test
  void shouldTellAManagerThatReadsLateOnlyTheLastState() throws Throwable {
    try (ServiceSocket socket = ServiceSocket.open(folder.resolve("notify").toString())) {
      assertTimeoutPreemptively(PATIENCE, () -> fill(socket));
      SystemdNotifier manager = manager(Map.of("NOTIFY_SOCKET", socket.address()));
      manager.ready(List.of("ldap://a:1"));
      manager.reloading();
      manager.stopping(1);
      manager.reloaded();
      socket.drain();
      manager.catchUp();
      assertThat(socket.receive()).startsWith("STOPPING=1\n");
      manager.catchUp();
      manager.extend(2);
      assertThat(socket.receive()).isEqualTo("EXTEND_TIMEOUT_USEC=2000000");
    }
  }

  @Test
  void shouldTellAManagerThatComesLate() throws Throwable {
    String address = folder.resolve("notify").toString();
    SystemdNotifier manager = manager(Map.of("NOTIFY_SOCKET", address));
    manager.ready(List.of("ldap://a:1"));
    try (ServiceSocket socket = ServiceSocket.open(address)) {
      manager.alive();
      assertThat(socket.receive()).startsWith("READY=1\n");
    }
  }

  @Test
  void shouldSayWhyNothingCanBeSent() throws IOException {
    UnixDatagram socket = UnixDatagram.open();
    assertThatThrownBy(() -> socket.send(folder.resolve("nobody").toString(), "x"))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot send: error 2");
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> socket.send(file.toString(), "x"))
        .hasMessage("cannot send: error 111");
    assertThatThrownBy(() -> socket.send("relative", "x"))
        .hasMessageStartingWith("expected a path or @ and a name");
    assertThatThrownBy(() -> socket.send("/" + "x".repeat(107), "x"))
        .hasMessageStartingWith("expected a path or @ and a name");
    socket.close();
    socket.close();
    assertThatThrownBy(() -> socket.send("/x", "x")).hasMessage("the socket is closed");
  }

  @Test
  void shouldHaveTheClockThatServiceManagersHave() throws Throwable {
    long before = ServiceSocket.monotonicMicros();
    long here = System.nanoTime() / 1000;
    long after = ServiceSocket.monotonicMicros();
    assertThat(here).isBetween(before, after);
  }
}
