package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.process.FreePorts;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/**
 * Lets Debian's slapd follow the log of modifications of a directory that changes at random, with
 * restarts of either side, and compares all entries with their identifiers and stamps.
 */
@Timeout(300)
class SlapdDeltaTest {
  private static final int ROUNDS = Integer.getInteger("nyala.test.slapdRounds", 2);
  private static final String STAFF = "cn=staff," + TOP;
  private static final String CONFIGURATION =
      "serverId = 3, store.journalChanges = JOURNAL, modificationLog.mebibytes = MEBIBYTES,"
          + " access.anonymousRead = true, listeners = [\"ldap://127.0.0.1:PORT\"]";
  private static final Pattern APPLIED = Pattern.compile("syncrepl_message_to_op: .*tid");
  private static final Pattern LOST = Pattern.compile("delta-sync lost sync");
  private static final Pattern SCANNED = Pattern.compile("syncrepl_message_to_entry: ");

  @TempDir Path folder;

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private RunningServer server;
  private final int port = FreePorts.take();
  private int journal = 100_000;
  private int mebibytes = 16;
  private int sureChanges;
  private LDAPConnection root;
  private SlapdConsumer slapd;

  @BeforeEach
  void start() throws Exception {
    server = LocalServer.start(folder, configuration());
    root = LocalServer.connectAsRoot(server);
    slapd = SlapdConsumer.ofLog(folder, "ldap://127.0.0.1:" + port);
  }

  @AfterEach
  void stop() {
    slapd.close();
    root.close();
    server.close();
  }

  private String configuration() {
    return CONFIGURATION
        .replace("PORT", Integer.toString(port))
        .replace("JOURNAL", Integer.toString(journal))
        .replace("MEBIBYTES", Integer.toString(mebibytes));
  }

  private void restart() throws Exception {
    root.close();
    server.close();
    server = LocalServer.start(folder, configuration());
    root = LocalServer.connectAsRoot(server);
  }

  private long count(Pattern line) throws Exception {
    return line.matcher(slapd.log()).results().count();
  }

  private static void change(RandomTree tree, int changes) throws Exception {
    for (int i = 0; i < changes; i++) {
      tree.change();
    }
  }

  /** Changes something that is not refused, which each of the random changes may be. */
  private void changeSurely(RandomTree tree) throws Exception {
    String before = SlapdConsumer.contextCsn(root);
    change(tree, 5);
    root.modify(
        TOP, new Modification(ModificationType.REPLACE, "description", "change " + ++sureChanges));
    assertThat(SlapdConsumer.contextCsn(root)).as("seed %d", seed).isNotEqualTo(before);
  }

  private void awaitEqual(String what) throws Exception {
    slapd.awaitEqual(root, "-Dtest.seed=%d %s".formatted(seed, what));
  }

  @Test
  void shouldKeepSlapdEqual() throws Exception {
    RandomTree tree = new RandomTree(seed, random, RandomTree.FEW, root);
    slapd.start();
    awaitEqual("at first");
    long scanned = count(SCANNED);
    for (int round = 0; round < ROUNDS; round++) {
      change(tree, 25);
      awaitEqual("round " + round);
      if (round % 2 == 0) {
        restart();
      } else {
        slapd.kill();
        change(tree, 25);
        slapd.start();
      }
      tree = tree.by(root);
      change(tree, 5);
      awaitEqual("after the restart of round " + round);
    }
    assertThat(count(LOST)).as("seed %d", seed).isZero();
    assertThat(count(SCANNED)).as("seed %d", seed).isEqualTo(scanned);
    assertThat(count(APPLIED)).as("seed %d", seed).isGreaterThan(10L * ROUNDS);
  }

  @Test
  void shouldTellOfEachValueOfALargeGroupAlone() throws Exception {
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    addGroup(10_000);
    slapd.start();
    awaitEqual("with the group");
    String cookie =
        "rid=001,csn=" + root.getEntry(TOP, "contextCSN").getAttributeValue("contextCSN");
    try (LDAPConnection connection = LocalServer.connectAsRoot(server)) {
      LogFollower follower = LogFollower.after(connection, LogFollower.BASE, cookie);
      for (int i = 0; i < 20; i++) {
        root.modify(STAFF, new Modification(ModificationType.ADD, "member", member(100_000 + i)));
        root.modify(STAFF, new Modification(ModificationType.DELETE, "member", member(i)));
      }
      eventually(
          "the follower has seen all changes", () -> follower.hasSeen("member:- " + member(19)));
      assertThat(follower.entries).hasSize(40);
      assertThat(follower.bytes()).isLessThan(40 * 500L);
    }
    root.modifyDN(STAFF, "cn=people", true);
    root.modifyDN("cn=people," + TOP, "cn=folk+description=d", false);
    root.modifyDN("cn=folk+description=d," + TOP, "description=d+cn=all", true);
    awaitEqual("with other members");
    assertThat(count(LOST)).isZero();
    // slapd would keep the value as it is.
    root.modifyDN("cn=all+description=d," + TOP, "cn=All+description=d", true);
    awaitEqual("with a name in capitals");
    assertThat(count(LOST)).isEqualTo(1);
  }

  private void addGroup(int members) throws Exception {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      names.add(member(i));
    }
    root.add(
        STAFF,
        new Attribute("objectClass", "groupOfNames"),
        new Attribute("cn", "staff"),
        new Attribute("member", names));
  }

  private static String member(int number) {
    return "uid=member" + number + "," + TOP;
  }

  @Test
  void shouldGoBackToTheLogAfterARefresh() throws Exception {
    journal = 64;
    restart();
    RandomTree tree = new RandomTree(seed, random, RandomTree.MANY, root);
    slapd.start();
    awaitEqual("at first");
    slapd.kill();
    change(tree, 150);
    slapd.start();
    awaitEqual("after the journal was trimmed");
    assertThat(count(LOST)).as("seed %d", seed).isEqualTo(1);
    long applied = count(APPLIED);
    changeSurely(tree);
    awaitEqual("by the log again");
    assertThat(count(APPLIED)).as("seed %d", seed).isGreaterThan(applied);
    mebibytes = 0;
    restart();
    changeSurely(tree.by(root));
    mebibytes = 16;
    restart();
    changeSurely(tree.by(root));
    awaitEqual("after a time without modifications");
    assertThat(count(LOST)).as("seed %d", seed).isGreaterThanOrEqualTo(2);
  }
}
