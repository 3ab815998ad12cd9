package org.nyala.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.sync.RandomTree.TOP;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.process.LocalServer;
import org.nyala.replica.CutLine;
import org.nyala.server.RunningServer;

/** Lets Debian's slapd consume a directory over a line that is cut in each of its phases. */
@Timeout(3600)
class SlapdCutLineTest {
  private static final int ROUNDS = Integer.getInteger("nyala.test.slapdCutRounds", 2);
  private static final int PEOPLE = 60;

  /** Between changes, so that a round has some dozens. */
  private static final long PAUSE_MILLIS = 20;

  @TempDir Path folder;

  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);

  private RunningServer server;
  private LDAPConnection root;
  private CutLine line;
  private SlapdConsumer slapd;

  private void start(String type, int journal, LongSupplier bounds) throws Exception {
    server = LocalServer.start(folder, "serverId = 3, store.journalChanges = " + journal);
    root = LocalServer.connectAsRoot(server);
    line = new CutLine(LocalServer.port(server), bounds);
    Path of = Files.createDirectory(folder.resolve("slapd"));
    slapd = new SlapdConsumer(of, "ldap://127.0.0.1:" + line.port(), type, "cn=admin", "admin");
    slapd.start();
  }

  @AfterEach
  void stop() throws Exception {
    slapd.close();
    line.close();
    root.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource({"refreshAndPersist,100000", "refreshOnly,100000", "refreshAndPersist,10"})
  void shouldKeepNoEntryTooMany(String type, int journal) throws Exception {
    Random bounds = new Random(seed);
    AtomicLong toCut = new AtomicLong();
    start(
        type,
        journal,
        () ->
            toCut.getAndUpdate(left -> Math.max(0, left - 1)) > 0
                ? 20 + bounds.nextInt(1 << (5 + 2 * bounds.nextInt(6)))
                : Long.MAX_VALUE);
    // With few changes in the journal there are scans, in which slapd mixes up names that change.
    int names = journal > 1000 ? RandomTree.FEW : RandomTree.MANY;
    RandomTree tree = new RandomTree(seed, random, names, root).withRefreshesCut();
    for (int i = 0; i < 100; i++) {
      tree.change();
    }
    // A first refresh that is cut is followed by a scan, too.
    slapd.awaitEqual(root, "-Dtest.seed=%d %s at first".formatted(seed, type));
    for (int round = 0; round < ROUNDS; round++) {
      toCut.set(1 + random.nextInt(3));
      line.cut();
      while (toCut.get() > 0) {
        tree.change();
        line.awaitCuts(line.cuts() + 1, PAUSE_MILLIS);
      }
      for (int i = 0; i < 20; i++) {
        tree.change();
      }
      slapd.awaitEqual(root, "-Dtest.seed=%d %s round %d".formatted(seed, type, round));
    }
  }

  /** Entries come in a refresh that is cut, and are deleted before the next one. */
  @ParameterizedTest
  @ValueSource(strings = {"refreshAndPersist", "refreshOnly"})
  void shouldDeleteWhatARefreshHasBroughtThatWasCut(String type) throws Exception {
    AtomicLong bound = new AtomicLong(Long.MAX_VALUE);
    start(type, 100_000, () -> bound.get() == Long.MAX_VALUE ? bound.get() : bound.getAndSet(0));
    root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    slapd.awaitEqual(root, "at the beginning");
    slapd.close();
    for (int i = 0; i < PEOPLE; i++) {
      root.add("dn: " + name(i), "objectClass: inetOrgPerson", "cn: P", "sn: P", "uid: p" + i);
    }
    bound.set(PEOPLE * 250);
    slapd.start();
    eventually("the line is cut", () -> line.cuts() > 0);
    try (LDAPConnection consumer = slapd.connect()) {
      // The cut comes behind it, and slapd stores it when it gets to it.
      eventually("slapd has a part", () -> consumer.getEntry(name(0), "1.1") != null);
      assertThat(consumer.getEntry(name(PEOPLE - 1), "1.1")).isNull();
      for (int i = 0; i < PEOPLE; i++) {
        root.delete(name(i));
      }
      root.add("dn: ou=u," + TOP, "objectClass: organizationalUnit");
    }
    bound.set(Long.MAX_VALUE);
    slapd.awaitEqual(root, "after the deletions");
  }

  private static String name(int i) {
    return "uid=p" + i + "," + TOP;
  }
}
