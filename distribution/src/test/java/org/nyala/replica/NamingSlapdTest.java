package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.awaitEqual;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.process.ServerProcess;
import org.nyala.sync.RandomTree;

/**
 * Copies Debian's slapd without a session log, its default: to a copy that was away it names all
 * its entries before it sends those that are new. No attempt may fail.
 */
@Timeout(300)
class NamingSlapdTest {
  private static final int CHANGES = 40;

  @TempDir Path folder;

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private SyncSlapd slapd;
  private LDAPConnection client;
  private Path home;

  @BeforeEach
  void start() throws Exception {
    slapd = SyncSlapd.withoutSessionLog(Files.createDirectories(folder.resolve("slapd")));
    client = slapd.client();
    home = Files.createDirectories(folder.resolve("copy"));
  }

  @AfterEach
  void stop() {
    client.close();
    slapd.close();
  }

  private ServerProcess startCopy() throws Exception {
    String bind = consuming(slapd.url(), SyncSlapd.ADMIN, SyncSlapd.PASSWORD);
    return ServerProcess.start(home, "serverId = 2\n" + bind);
  }

  private void shouldFollow(ServerProcess copy) throws Exception {
    String what = "-Dtest.seed=" + seed + ": the copy follows";
    eventually(what, () -> copy.log().contains("follows its changes"));
    String url = "ldap://127.0.0.1:" + copy.port();
    awaitEqual(slapd.access(), SyncedServers.access(url, "cn=admin", "admin"));
    assertThat(copy.log()).as(what).doesNotContain("is not kept up to date");
  }

  @Test
  void followsAfterItWasAway() throws Exception {
    RandomTree tree = new RandomTree(seed, random, RandomTree.MANY, client);
    addUnit("ou=renamed", "uid=below");
    addUnit("ou=deleted");
    try (ServerProcess copy = startCopy()) {
      shouldFollow(copy);
    }
    changeEverything();
    tree = tree.by(client);
    for (int i = 0; i < CHANGES; i++) {
      tree.change();
    }
    try (ServerProcess copy = startCopy()) {
      shouldFollow(copy);
    }
  }

  private void addUnit(String unit, String... people) throws Exception {
    client.add("dn: " + unit + "," + SyncSlapd.SUFFIX, "objectClass: organizationalUnit");
    for (String each : people) {
      client.add(
          "dn: " + each + "," + unit + "," + SyncSlapd.SUFFIX,
          "objectClass: inetOrgPerson",
          "cn: x",
          "sn: x");
    }
  }

  private void changeEverything() throws Exception {
    addUnit("ou=new", "uid=one", "uid=two");
    addUnit("ou=new,ou=new", "uid=three");
    client.modify(
        "ou=new," + SyncSlapd.SUFFIX,
        new Modification(ModificationType.REPLACE, "description", "changed"));
    client.delete("ou=deleted," + SyncSlapd.SUFFIX);
    // Its name goes to a new entry.
    addUnit("ou=deleted", "uid=another");
    client.modifyDN("ou=renamed," + SyncSlapd.SUFFIX, "ou=former", true);
    client.modifyDN(
        "uid=below,ou=former," + SyncSlapd.SUFFIX,
        "uid=moved",
        true,
        "ou=new,ou=new," + SyncSlapd.SUFFIX);
  }

  /** Entries are added and deleted again while slapd names and sends the others. */
  @Test
  void followsWhileEntriesAreAdded() throws Exception {
    new RandomTree(seed, random, RandomTree.MANY, client);
    try (ServerProcess copy = startCopy()) {
      shouldFollow(copy);
    }
    AtomicBoolean isOver = new AtomicBoolean();
    try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
      Future<?> adding = thread.submit(() -> addUntil(isOver));
      try (ServerProcess copy = startCopy()) {
        eventually("the copy follows", () -> copy.log().contains("follows its changes"));
        isOver.set(true);
        adding.get();
        shouldFollow(copy);
      } finally {
        isOver.set(true);
      }
    }
  }

  private Void addUntil(AtomicBoolean isOver) throws Exception {
    try (LDAPConnection adder = slapd.client()) {
      for (int i = 0; !isOver.get(); i++) {
        String name = "ou=added" + i + "," + SyncSlapd.SUFFIX;
        adder.add("dn: " + name, "objectClass: organizationalUnit");
        if (i % 3 == 0) {
          adder.delete(name);
        }
      }
    }
    return null;
  }
}
