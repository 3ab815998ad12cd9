package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.replica.SyncedServers.access;
import static org.nyala.replica.SyncedServers.awaitEqual;
import static org.nyala.replica.SyncedServers.consuming;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResultEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;
import org.nyala.sync.RandomTree;

/**
 * Copies Debian's slapd, which changes at random, with restarts of either side, and compares all
 * entries with their identifiers and stamps.
 */
@Timeout(600)
class SlapdProviderTest {
  private static final int ROUNDS = Integer.getInteger("nyala.test.slapdRounds", 4);
  private static final int CHANGES = 25;

  /** More changes than the session log of slapd has. */
  private static final int MISSED = 130;

  @TempDir Path folder;

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private SyncSlapd slapd;
  private LDAPConnection client;
  private RunningServer copy;

  @BeforeEach
  void start() throws Exception {
    slapd = SyncSlapd.provider(Files.createDirectories(folder.resolve("slapd")));
    client = slapd.client();
    startCopy();
  }

  @AfterEach
  void stop() {
    copy.close();
    client.close();
    slapd.close();
  }

  private void startCopy() throws Exception {
    copy =
        LocalServer.start(
            Files.createDirectories(folder.resolve("copy")),
            "serverId = 2\n" + consuming(slapd.url(), SyncSlapd.ADMIN, SyncSlapd.PASSWORD));
  }

  private void restartSlapd() throws Exception {
    client.close();
    slapd.stop();
    slapd.start();
    client = slapd.client();
  }

  @Test
  void keepsAnEqualCopy() throws Exception {
    // Units keep their names: slapd 2.5 loses what was moved below one that it renames.
    RandomTree tree = new RandomTree(seed, random, RandomTree.MANY, client);
    for (int round = 0; round < ROUNDS; round++) {
      change(tree, CHANGES);
      awaitCopy(round);
      switch (random.nextInt(3)) {
        case 0 -> restartSlapd();
        case 1 -> {
          copy.close();
          tree = tree.by(client);
          change(tree, random.nextBoolean() ? CHANGES : MISSED);
          startCopy();
        }
        default -> {
          copy.close();
          startCopy();
        }
      }
      awaitCopy(round);
      tree = tree.by(client);
    }
  }

  private static void change(RandomTree tree, int changes) throws Exception {
    for (int i = 0; i < changes; i++) {
      tree.change();
    }
  }

  private void awaitCopy(int round) throws Exception {
    String what = "-Dtest.seed=" + seed + " round " + round;
    try {
      awaitEqual(slapd.access(), access(copy));
      String wanted = contextCsn(client);
      try (LDAPConnection reader = LocalServer.connectAsRoot(copy)) {
        eventually(what + ": the copy has " + wanted, () -> wanted.equals(contextCsn(reader)));
      }
    } catch (AssertionError e) {
      throw new AssertionError(what, e);
    }
  }

  private static String contextCsn(LDAPConnection connection) throws LDAPException {
    SearchResultEntry entry = connection.getEntry(SyncSlapd.SUFFIX, "contextCSN");
    String[] csns = entry == null ? null : entry.getAttributeValues("contextCSN");
    return csns == null ? "" : List.of(csns).toString();
  }

  /** Values without an equality rule are replaced and deleted as a whole. */
  @Test
  void copiesValuesThatCannotBeCompared() throws Exception {
    new RandomTree(seed, random, RandomTree.MANY, client);
    String name = "uid=picture," + SyncSlapd.SUFFIX;
    client.add("dn: " + name, "objectClass: inetOrgPerson", "uid: picture", "cn: P", "sn: P");
    client.modify(
        name,
        new Modification(ModificationType.ADD, "jpegPhoto", new byte[] {0, 1, 2, -1}),
        new Modification(ModificationType.ADD, "preferredDeliveryMethod", "any"));
    awaitCopy(0);
    client.modify(
        name,
        new Modification(ModificationType.REPLACE, "jpegPhoto", new byte[] {9, 8, 0}),
        new Modification(ModificationType.DELETE, "preferredDeliveryMethod"));
    awaitCopy(1);
    try (LDAPConnection reader = LocalServer.connectAsRoot(copy)) {
      assertThat(reader.getEntry(name).getAttributeValueBytes("jpegPhoto"))
          .containsExactly(9, 8, 0);
    }
  }
}
