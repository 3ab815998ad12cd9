package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.awaitEqual;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.LocalCommands;
import org.nyala.process.ServerProcess;

/**
 * Copies Debian's slapd while many clients change it at a time, so that its changes come in another
 * order than their numbers.
 */
@Timeout(300)
class BusySlapdTest {
  private static final int CLIENTS = 8;
  private static final int ROUNDS = Integer.getInteger("nyala.test.busyRounds", 100);

  @TempDir Path folder;

  @Test
  void losesNoChange() throws Exception {
    try (SyncSlapd slapd = SyncSlapd.provider(Files.createDirectories(folder.resolve("slapd")))) {
      slapd.addTop();
      Path home = Files.createDirectories(folder.resolve("copy"));
      String configuration =
          "serverId = 2\n" + consuming(slapd.url(), SyncSlapd.ADMIN, SyncSlapd.PASSWORD);
      try (ServerProcess copy = ServerProcess.start(home, configuration)) {
        String url = "ldap://127.0.0.1:" + copy.port();
        Path next = Files.createDirectories(folder.resolve("next"));
        try (ServerProcess follower =
            ServerProcess.start(next, "serverId = 3\n" + consuming(url, "cn=admin", "admin"))) {
          eventually("the copy is followed", () -> follows(copy) && follows(follower));
          changeAtOnce(slapd);
          awaitEqual(slapd.access(), access(url));
          awaitEqual(slapd.access(), access("ldap://127.0.0.1:" + follower.port()));
          // A refresh would repair what was lost.
          assertThat(copy.log()).doesNotContain("is not kept up to date");
          assertThat(follower.log()).doesNotContain("is not kept up to date");
        }
      }
      // Its numbers rise with each change.
      new LocalCommands().shouldSucceed(home.resolve("test.conf"), "verify");
    }
  }

  private static boolean follows(ServerProcess copy) throws IOException {
    return copy.log().contains("follows its changes");
  }

  private static ProviderAccess access(String url) {
    return SyncedServers.access(url, "cn=admin", "admin");
  }

  private static void changeAtOnce(SyncSlapd slapd) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
      List<Future<?>> changing = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        int number = i;
        changing.add(
            threads.submit(
                () -> {
                  try (LDAPConnection client = slapd.client()) {
                    change(client, number);
                  }
                  return null;
                }));
      }
      for (Future<?> each : changing) {
        each.get();
      }
    }
  }

  private static void change(LDAPConnection client, int number) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      String unit = "ou=b" + number + "-" + round;
      String name = unit + "," + SyncSlapd.SUFFIX;
      client.add("dn: " + name, "objectClass: organizationalUnit");
      client.modify(name, replaced("description", "d" + round));
      client.modifyDN(name, unit + "x", true);
      if (round % 4 != 0) {
        client.delete(unit + "x," + SyncSlapd.SUFFIX);
      }
    }
  }

  private static Modification replaced(String attribute, String value) {
    return new Modification(ModificationType.REPLACE, attribute, value);
  }
}
