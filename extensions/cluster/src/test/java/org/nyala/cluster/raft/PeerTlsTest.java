package org.nyala.cluster.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cluster.join.PeerCertificates;
import org.nyala.core.TestCertificates;

class PeerTlsTest {
  private static final String EC = "-keyalg EC -groupname secp256r1";

  @TempDir Path folder;

  private Path pem(String name, String host) throws Exception {
    return TestCertificates.make(folder, host, EC).pem(folder.resolve(name));
  }

  /** Replaces a file so that its change is seen, however coarse its times are. */
  private static void replace(Path file, String text) throws Exception {
    Files.writeString(file, text);
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(60)));
  }

  @LongRun
  @Test
  void membersTrustEachOtherOnlyAndReadTheirFilesAgain() throws Exception {
    Path own = pem("own.pem", "localhost");
    Path authorities = Files.copy(own, folder.resolve("authorities.pem"));
    Path foreign = pem("foreign.pem", "foreign.example");
    PeerTls tls = new PeerTls(own, own, authorities);
    try (Records records = new Records();
        TestCluster cluster = new TestCluster(folder, RaftSettings.DEFAULT, Precautions.ALL)) {
      cluster.tls(tls);
      cluster.of(2);
      cluster.write(5);

      TestCluster.Node stranger = cluster.node();
      cluster.tls(new PeerTls(foreign, foreign, authorities));
      stranger.start();
      RaftException e =
          assertThrows(
              RaftException.class,
              () -> cluster.leader().log().add(stranger.address(), Duration.ofSeconds(6)));
      assertTrue(
          String.valueOf(e.getMessage()).endsWith("ms: it has not answered the leader."),
          e::getMessage);
      assertTrue(
          records.texts.stream()
              .anyMatch(text -> text.contains("is refused: its certificate of CN=foreign.example")),
          records.texts::toString);
      stranger.stop();

      // The stranger becomes known: the files of those that run are read again.
      replace(authorities, Files.readString(own) + Files.readString(foreign));
      stranger.start();
      cluster.leader().log().add(stranger.address(), TestCluster.PATIENCE);
      cluster.write(5);
      cluster.settled();

      // A file that cannot be read changes nothing.
      replace(authorities, "no certificates");
      TestCluster.Node leader = cluster.leader();
      leader.stop();
      leader.start();
      cluster.write(5);
      cluster.settled();
    }
  }

  private PeerTls made(String name, String host) throws Exception {
    Path made = folder.resolve(name);
    PrintWriter printed = new PrintWriter(new StringWriter());
    assertEquals(0, PeerCertificates.run(List.of(made.toString(), host), printed, printed));
    String file = host.substring(0, host.indexOf(','));
    return new PeerTls(
        made.resolve(file + ".pem"), made.resolve(file + ".key"), made.resolve("cluster-ca.pem"));
  }

  @Test
  void membersWithMadeCertificatesFormAClusterAndOthersAreRefusedAndLogged() throws Exception {
    try (Records records = new Records();
        TestCluster cluster = new TestCluster(folder, RaftSettings.DEFAULT, Precautions.ALL)) {
      cluster.tls(made("ours", "one.example,127.0.0.1"));
      cluster.of(1);
      cluster.tls(made("ours", "two.example,127.0.0.1"));
      cluster.join();
      cluster.tls(made("ours", "three.example,127.0.0.1"));
      cluster.join();
      cluster.write(3);
      cluster.settled();
      assertEquals(List.of(), records.texts);

      TestCluster.Node stranger = cluster.node();
      cluster.tls(made("theirs", "stranger.example,127.0.0.1"));
      stranger.start();
      assertThrows(
          RaftException.class,
          () -> cluster.leader().log().add(stranger.address(), Duration.ofSeconds(2)));
      assertTrue(
          records.texts.stream()
              .anyMatch(
                  text -> text.contains("is refused: its certificate of CN=stranger.example")),
          records.texts::toString);
    }
  }

  @Test
  void filesThatDoNotFitAreRefused() throws Exception {
    Path own = pem("own.pem", "localhost");
    Path other = pem("other.pem", "other.example");
    Path none = folder.resolve("none.pem");
    assertMessage("The file " + none + " cannot be read.", none, own, own);
    assertMessage(
        "The key of the file " + other + " is not that of the certificate of CN=localhost.",
        own,
        other,
        own);
    Files.writeString(none, "nothing");
    assertMessage("The file " + none + " holds no certificate as PEM.", own, own, none);
    assertMessage(
        "The file " + none + " holds one private key as PEM (PKCS#8, not encrypted), not 0.",
        own,
        none,
        own);
  }

  private static void assertMessage(String message, Path chain, Path key, Path authorities) {
    RaftException e = assertThrows(RaftException.class, () -> new PeerTls(chain, key, authorities));
    assertEquals(message, e.getMessage());
  }

  /** The records of the log of this package. */
  private static final class Records extends Handler implements AutoCloseable {
    final List<String> texts = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger("org.nyala.cluster.raft");

    /** Listens at a level of its own: other tests in this process turn those above off. */
    Records() {
      logger.setLevel(Level.INFO);
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
      texts.add(new SimpleFormatter().formatMessage(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
      logger.setLevel(null);
    }
  }
}
