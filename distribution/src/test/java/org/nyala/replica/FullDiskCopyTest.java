package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.management.ManagementBeans;
import org.nyala.process.FaultyDisk;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalCommands;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;

/** A copy that is started on a full disk, and a copy of it. */
@Timeout(300)
class FullDiskCopyTest extends PromotionTestCase {
  private final LocalCommands commands = new LocalCommands();

  private static boolean has(ServerProcess server, String name) throws Exception {
    try (LDAPConnection client = server.client("cn=admin", "admin")) {
      return client.getEntry("ou=" + name + "," + SUFFIX, "1.1") != null;
    }
  }

  private String status(Path configuration) {
    int _ = commands.run(configuration, "sync", "status");
    return commands.out();
  }

  @Test
  void servesReadsSaysWhyItWaitsAndGoesOn() throws Exception {
    FaultyDisk disk = new FaultyDisk(folder);
    int first = FreePorts.take();
    int second = FreePorts.take();
    try (RunningServer provider = at("first", 1, first, "")) {
      try (LDAPConnection client = LocalServer.connectAsRoot(provider)) {
        addTop(client);
      }
      add(provider, "before");
      Path configuration =
          ServerProcess.configure(
              folder("second"),
              "listeners = [\"" + url(second) + "\"]\nserverId = 2\n" + of(first));
      try (ServerProcess copy = ServerProcess.serve(folder("second"))) {
        eventually("it is a copy", () -> has(copy, "before"));
      }
      disk.fail(FaultyDisk.Call.WRITE, FaultyDisk.NO_SPACE);
      try (ServerProcess copy =
              ServerProcess.start(
                  folder("second"), disk.environment(), ServerProcess.command(folder("second")));
          RunningServer third = LocalServer.start(folder("third"), "serverId = 3\n" + of(second));
          ManagementBeans _ = register(third)) {
        assertThat(has(copy, "before")).isTrue();
        eventually(
            "its own copy says why it waits",
            () -> sync().getCopies().getFirst().error().contains("the disk is full"));
        add(provider, "later");
        eventually(
            "it says why it does not follow",
            () -> status(configuration).contains("the disk is full"));
        assertThat(has(copy, "before")).isTrue();
        assertThat(has(copy, "later")).isFalse();
        disk.heal();
        eventually("it goes on", () -> has(copy, "later"));
        awaitEqual(access(provider), access(third));
        eventually("it follows", () -> status(configuration).contains("phase       following"));
      }
    }
  }
}
