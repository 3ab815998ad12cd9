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
import javax.management.MBeanServer;
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

  /** A copy whose store may not grow. */
  private record BoundedCopy(RunningServer server, ManagementBeans beans, SyncMXBean sync)
      implements AutoCloseable {
    static BoundedCopy start(Path data, String configuration) throws Exception {
      Path file = ServerProcess.configure(data, configuration);
      RunningServer copy =
          RunningServer.start(
              LocalServer.bounded(ConfigurationFile.read(file, data), MAP_BYTES),
              Installation.current());
      MBeanServer registry = ManagementFactory.getPlatformMBeanServer();
      ObjectName name = new ObjectName(SyncMXBean.NAME);
      return new BoundedCopy(
          copy, copy.register(registry), JMX.newMXBeanProxy(registry, name, SyncMXBean.class));
    }

    /** Waits until the copy has found no room. */
    void awaitFull() {
      eventually("the store is full", () -> sync.getCopies().getFirst().error().contains("full"));
    }

    @Override
    public void close() {
      beans.close();
      server.close();
    }
  }

  private static String boundedConsuming(RunningServer provider) {
    return "serverId = 2, store { mapSizeGiB = 1, maximumMapSizeGiB = 1 }\n"
        + consuming("ldap://127.0.0.1:" + LocalServer.port(provider), "cn=admin", "admin");
  }

  private static void addLarge(LDAPConnection client, int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      client.add(
          "dn: ou=" + i + "," + SyncSlapd.SUFFIX,
          "objectClass: organizationalUnit",
          "description: " + "x".repeat(50_000));
    }
  }

  @Test
  void aFullCopyGoesOnWhenItHasRoom() throws Exception {
    try (RunningServer provider = LocalServer.start(folder("provider"), "serverId = 1");
        LDAPConnection client = LocalServer.connectAsRoot(provider)) {
      client.add("dn: " + SyncSlapd.SUFFIX, "objectClass: domain", "dc: example");
      addLarge(client, 0, 120);
      Path data = folder("copy");
      try (BoundedCopy copy = BoundedCopy.start(data, boundedConsuming(provider))) {
        copy.awaitFull();
        assertThat(copy.sync().getCopies().getFirst().phase()).isNotEqualTo("following");
      }
      try (RunningServer copy = LocalServer.start(data, boundedConsuming(provider))) {
        awaitEqual(access(provider), access(copy));
      }
    }
  }

  @Test
  void aFullCopyDeletesBeforeItStores() throws Exception {
    try (RunningServer provider = LocalServer.start(folder("provider"), "serverId = 1");
        LDAPConnection client = LocalServer.connectAsRoot(provider)) {
      client.add("dn: " + SyncSlapd.SUFFIX, "objectClass: domain", "dc: example");
      addLarge(client, 0, 20);
      try (BoundedCopy copy = BoundedCopy.start(folder("copy"), boundedConsuming(provider))) {
        awaitEqual(access(provider), access(copy.server()));
        addLarge(client, 20, 120);
        copy.awaitFull();
        for (int i = 0; i < 80; i++) {
          client.delete("ou=" + i + "," + SyncSlapd.SUFFIX);
        }
        awaitEqual(access(provider), access(copy.server()));
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
