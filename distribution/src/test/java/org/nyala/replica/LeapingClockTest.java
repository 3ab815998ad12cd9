package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.process.SkewedClock;
import org.nyala.server.RunningServer;

/** Servers whose clock is set while they run, and others that are right. */
@Timeout(300)
class LeapingClockTest extends PromotionTestCase {
  private static final Duration FAR = Duration.ofDays(40);
  private static final String WATCHED =
      "management.watch { intervalSeconds = 1, copyLagSeconds = 1 }\n";

  private final LocalCommands commands = new LocalCommands();
  private SkewedClock clock;

  @BeforeEach
  void makeClock() throws Exception {
    clock = new SkewedClock(folder);
  }

  private ServerProcess start(String name, String configuration) throws Exception {
    ServerProcess.configure(folder(name), configuration + WATCHED);
    return ServerProcess.start(
        folder(name), clock.environment(), ServerProcess.command(folder(name)));
  }

  private void awaitAlarm(String server, String alarm) throws Exception {
    eventually(alarm, () -> status(server).contains(alarm));
  }

  private String status(String server) throws Exception {
    int _ = commands.run(folder(server).resolve("test.conf"), "status");
    return commands.out();
  }

  private static void add(LDAPConnection client, String name) throws Exception {
    client.add("dn: ou=" + name + "," + SUFFIX, "objectClass: organizationalUnit");
  }

  private static void requireRefused(LDAPConnection client) {
    assertThatThrownBy(() -> add(client, "refused"))
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.UNAVAILABLE))
        .hasMessageContaining("the clock of this server has leapt ahead by 9");
  }

  @Test
  void aWriterRefusesChangesUntilItsClockIsRight() throws Exception {
    try (ServerProcess writer = start("writer", "serverId = 1\n");
        LDAPConnection client = writer.client("cn=admin", "admin")) {
      addTop(client);
      try (RunningServer copy =
          LocalServer.start(folder("copy"), "serverId = 2\n" + of(writer.port()))) {
        add(client, "before");
        clock.set(FAR);
        requireRefused(client);
        requireRefused(client);
        awaitAlarm("writer", "the clock of this server has leapt ahead by 9");
        assertThat(client.getEntry("ou=before," + SUFFIX)).isNotNull();
        clock.set(Duration.ZERO);
        eventually("no alarm", () -> status("writer").contains("alarms       none"));
        add(client, "after");
        awaitEqual(access(url(writer.port()), "cn=admin", "admin"), access(copy));
      }
    }
  }

  /** Nothing was changed since the start, so that no number is known that was right. */
  @Test
  void aWriterThatHasJustStartedRefusesThemToo() throws Exception {
    try (ServerProcess writer = start("writer", "serverId = 1\n");
        LDAPConnection client = writer.client("cn=admin", "admin")) {
      addTop(client);
    }
    try (ServerProcess writer = start("writer", "serverId = 1\n");
        LDAPConnection client = writer.client("cn=admin", "admin")) {
      clock.set(FAR);
      requireRefused(client);
      clock.set(Duration.ZERO);
      add(client, "after");
    }
  }

  @Test
  void aWriterGoesOnWhenItsClockIsNoLongerFarBehind() throws Exception {
    try (ServerProcess writer = start("writer", "serverId = 1\n");
        LDAPConnection client = writer.client("cn=admin", "admin")) {
      addTop(client);
      clock.set(FAR.negated());
      add(client, "behind");
      clock.set(FAR);
      requireRefused(client);
      clock.set(Duration.ZERO);
      add(client, "after");
    }
  }

  /** As of a machine that has no clock of its own, and asks others for the time after the start. */
  @Test
  void aClockThatWasEvidentlyBehindMayBeCorrected() throws Exception {
    try (ServerProcess writer = start("writer", "serverId = 1\n");
        LDAPConnection client = writer.client("cn=admin", "admin")) {
      addTop(client);
    }
    clock.set(FAR.negated());
    try (ServerProcess writer = start("writer", "serverId = 1\n");
        LDAPConnection client = writer.client("cn=admin", "admin")) {
      clock.set(Duration.ZERO);
      add(client, "after");
    }
  }

  @Test
  void aCopyStopsUntilItsClockIsRight() throws Exception {
    try (RunningServer writer = LocalServer.start(folder("writer"), "serverId = 1");
        LDAPConnection client = LocalServer.connectAsRoot(writer)) {
      addTop(client);
      try (ServerProcess copy = start("copy", "serverId = 2\n" + of(LocalServer.port(writer)))) {
        awaitEqual(access(writer), access(url(copy.port()), "cn=admin", "admin"));
        clock.set(FAR.negated());
        add(client, "meanwhile");
        awaitAlarm("copy", "hours ahead of the clock of this server, and more than 24");
        clock.set(Duration.ZERO);
        awaitEqual(access(writer), access(url(copy.port()), "cn=admin", "admin"));
        eventually(
            "it follows",
            () ->
                commands.run(folder("copy").resolve("test.conf"), "sync", "status") == ExitCode.OK);
      }
    }
  }
}
