package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.JMX;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.core.Seeds;
import org.nyala.error.Installation;
import org.nyala.management.ManagementBeans;
import org.nyala.management.bean.SyncMXBean;
import org.nyala.process.LocalServer;
import org.nyala.process.ServerProcess;
import org.nyala.server.RunningServer;
import org.nyala.sync.RandomTree;

/** Copies over lines that are cut, in stores that are full, and from backups. */
@Timeout(300)
class BadWeatherTest {
  private static final int MAP_BYTES = 4 << 20;
  private static final int LINES = 8;

  @TempDir Path folder;

  private Path folder(String name) throws Exception {
    return Files.createDirectories(folder.resolve(name));
  }

  /** Each phase of a refresh and of what follows is cut somewhere, while the provider changes. */
  @Test
  void cutLinesLoseNothing() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    AtomicInteger lines = new AtomicInteger();
    try (RunningServer provider = LocalServer.start(folder("provider"), "serverId = 1");
        LDAPConnection client = LocalServer.connectAsRoot(provider)) {
      RandomTree tree = new RandomTree(seed, random, RandomTree.FEW, client);
      for (int i = 0; i < 300; i++) {
        tree.change();
      }
      Random bounds = new Random(seed);
      try (CutLine line =
              new CutLine(
                  LocalServer.port(provider),
                  () ->
                      lines.incrementAndGet() > LINES
                          ? Long.MAX_VALUE
                          : 20 + bounds.nextInt(1 << (5 + 2 * bounds.nextInt(6))));
          RunningServer copy =
              LocalServer.start(
                  folder("copy"),
                  "serverId = 2\n"
                      + consuming("ldap://127.0.0.1:" + line.port(), "cn=admin", "admin"))) {
        while (line.cuts() < LINES) {
          tree.change();
        }
        awaitEqual(access(provider), access(copy));
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  @Test
  void aFullCopyGoesOnWhenItHasRoom() throws Exception {
    try (RunningServer provider = LocalServer.start(folder("provider"), "serverId = 1");
        LDAPConnection client = LocalServer.connectAsRoot(provider)) {
      client.add("dn: " + SyncSlapd.SUFFIX, "objectClass: domain", "dc: example");
      for (int i = 0; i < 120; i++) {
        client.add(
            "dn: ou=" + i + "," + SyncSlapd.SUFFIX,
            "objectClass: organizationalUnit",
            "description: " + "x".repeat(50_000));
      }
      Path data = folder("copy");
      String configuration =
          "serverId = 2, store { mapSizeGiB = 1, maximumMapSizeGiB = 1 }\n"
              + consuming("ldap://127.0.0.1:" + LocalServer.port(provider), "cn=admin", "admin");
      Path file = ServerProcess.configure(data, configuration);
      try (RunningServer copy =
              RunningServer.start(
                  LocalServer.bounded(ConfigurationFile.read(file, data), MAP_BYTES),
                  Installation.current());
          ManagementBeans _ = copy.register(ManagementFactory.getPlatformMBeanServer())) {
        SyncMXBean sync =
            JMX.newMXBeanProxy(
                ManagementFactory.getPlatformMBeanServer(),
                new ObjectName(SyncMXBean.NAME),
                SyncMXBean.class);
        eventually("the store is full", () -> sync.getCopies().getFirst().error().contains("full"));
        assertThat(sync.getCopies().getFirst().phase()).isNotEqualTo("following");
      }
      try (RunningServer copy = LocalServer.start(data, configuration)) {
        awaitEqual(access(provider), access(copy));
      }
    }
  }

  @Test
  void aCopyFromAnOldBackupCatchesUp() throws Exception {
    long seed = Seeds.seed();
    try (RunningServer provider = LocalServer.start(folder("provider"), "serverId = 1");
        LDAPConnection client = LocalServer.connectAsRoot(provider)) {
      RandomTree tree = new RandomTree(seed, new Random(seed), RandomTree.FEW, client);
      Path data = folder("copy").resolve("data/data.mdb");
      Path backup = folder.resolve("backup.mdb");
      String configuration =
          consuming("ldap://127.0.0.1:" + LocalServer.port(provider), "cn=admin", "admin");
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 60; i++) {
          tree.change();
        }
        try (RunningServer copy = LocalServer.start(folder("copy"), configuration)) {
          awaitEqual(access(provider), access(copy));
        } catch (AssertionError e) {
          throw new AssertionError("seed " + seed + " round " + round, e);
        }
        if (round == 0) {
          Files.copy(data, backup);
        } else {
          Files.copy(backup, data, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }
}
