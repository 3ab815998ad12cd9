package org.nyala.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLSocket;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.ocsp.CertStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Patience;
import org.nyala.core.TestAuthority;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;
import org.nyala.core.TestResponder;
import org.nyala.management.ServerWatch;
import org.nyala.management.WatchSettings;

/** Tests that withdrawn trust ends, with both engines and both versions of TLS. */
class ClientRevocationTest extends ClientCertificateTestCase {
  private static final String BY_RESPONDERS =
      "handshakeTimeoutSeconds = 300, clientCertificate = optional, clientRevocation = ocsp,"
          + " clientRevocationTimeoutSeconds = ";

  /** The time for answers that come. */
  private static final int PATIENT_SECONDS = 60;

  /** The time for answers that do not come; enough for all clients to ask at once. */
  private static final int BRIEF_SECONDS = 3;

  private static final int MOST_VALID_SECONDS = 60;

  @ParameterizedTest
  @CsvSource({"jdk,TLSv1.3", "jdk,TLSv1.2", "boringssl,TLSv1.3", "boringssl,TLSv1.2"})
  void shouldResumeNothingThatIsNotTrustedAnyMore(String engine, String protocol) throws Exception {
    start(engine, "clientCertificate = required, clientRevocation = crl");
    Issued bob = root.issue(Content.client("CN=bob"));
    ProvenClient client = new ProvenClient(bob);
    shouldServe(client, protocol);
    shouldServe(client, protocol);
    assertThat(client.hasResumed()).isTrue();
    list(bob.certificate());
    reload();
    shouldRefuse(client, protocol);
    list();
    reload();
    shouldServe(client, protocol);
    assertThat(client.hasResumed()).isFalse();
    Files.writeString(folder.resolve("ca.pem"), TestAuthority.root("CN=Other").pem());
    reload();
    shouldRefuse(client, protocol);
    Files.writeString(folder.resolve("ca.pem"), root.pem());
    reload();
    shouldServe(client, protocol);
    shouldBeAtRest();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldResumeNothingThatHasExpired(String engine) throws Exception {
    start(engine, OPTIONAL);
    Map<String, ProvenClient> clients = Map.of();
    for (int seconds = 5; clients.isEmpty(); seconds *= 2) {
      clients = servedBriefly(seconds);
    }
    long failures = metrics().tlsFailures().sum();
    for (Map.Entry<String, ProvenClient> each : clients.entrySet()) {
      ProvenClient client = each.getValue();
      eventually("it is refused", () -> !client.isServed(port(), each.getKey()));
      assertThat(client.hasResumed()).isTrue();
      shouldServe(new ProvenClient(null), each.getKey());
    }
    eventually("they are counted", () -> metrics().tlsFailures().sum() == failures + 2);
    shouldBeAtRest();
  }

  /**
   * Returns clients that were served with a certificate; none if it has ended before, which needs a
   * longer one.
   */
  private Map<String, ProvenClient> servedBriefly(int seconds) throws Exception {
    assertThat(seconds).as("the time in which two are served").isLessThan(2 * MOST_VALID_SECONDS);
    Instant now = Instant.now();
    Instant end = now.plusSeconds(Math.min(seconds, MOST_VALID_SECONDS));
    Issued brief = root.issue(ALICE.valid(now.minusSeconds(60), end));
    Map<String, ProvenClient> clients =
        Map.of("TLSv1.3", new ProvenClient(brief), "TLSv1.2", new ProvenClient(brief));
    for (Map.Entry<String, ProvenClient> each : clients.entrySet()) {
      long failures = metrics().tlsFailures().sum();
      if (!each.getValue().isServed(port(), each.getKey())) {
        assertThat(Instant.now())
            .as("refused")
            .isAfter(brief.certificate().getNotAfter().toInstant());
        eventually("it is counted", () -> metrics().tlsFailures().sum() == failures + 1);
        return Map.of();
      }
    }
    return clients;
  }

  @Test
  void shouldNoticeChangedFiles() throws Exception {
    start("auto", "clientCertificate = required, clientRevocation = crl");
    ServerWatch watch = new ServerWatch(server.served(), WatchSettings.DEFAULT);
    Issued bob = root.issue(Content.client("CN=bob"));
    shouldServe(new ProvenClient(bob), "TLSv1.3");
    Files.writeString(folder.resolve("ca.pem"), "no certificate");
    eventually("that is reported", () -> !alarms(watch).isEmpty());
    assertThat(alarms(watch)).singleElement().asString().contains("ca.pem", "former certificates");
    assertThatThrownBy(() -> server.served().control().reload())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ca.pem: there is no certificate in it");
    shouldServe(new ProvenClient(bob), "TLSv1.3");
    Files.writeString(folder.resolve("ca.pem"), root.pem());
    list(bob.certificate());
    eventually("it is revoked", () -> !new ProvenClient(bob).isServed(port(), "TLSv1.3"));
    assertThat(alarms(watch)).isEmpty();
    Files.delete(folder.resolve("crl.pem"));
    eventually("that is reported", () -> !alarms(watch).isEmpty());
    assertThat(alarms(watch)).singleElement().asString().contains("there is no file", "crl.pem");
    Files.writeString(folder.resolve("crl.pem"), root.list(Instant.now().minusSeconds(3600)));
    eventually("its end is reported", () -> alarms(watch).toString().contains("has ended on"));
    assertThat(alarms(watch)).singleElement().asString().contains("list of \"CN=Root\"", "crl.pem");
  }

  private List<String> alarms(ServerWatch watch) {
    watch.look();
    return server.served().notices().alarms();
  }

  @ParameterizedTest
  @CsvSource({"jdk,TLSv1.3", "jdk,TLSv1.2", "boringssl,TLSv1.3", "boringssl,TLSv1.2"})
  void shouldAskResponders(String engine, String protocol) throws Exception {
    try (TestResponder responder = new TestResponder()) {
      start(engine, BY_RESPONDERS + PATIENT_SECONDS);
      Files.delete(folder.resolve("crl.pem"));
      TestAuthority other = TestAuthority.root("CN=Asked");
      Files.writeString(folder.resolve("ca.pem"), other.pem());
      Files.writeString(folder.resolve("crl.pem"), root.list(Instant.now().plusSeconds(3600)));
      reload();
      ProvenClient client = new ProvenClient(other.issue(ALICE.responder(responder.address())));
      responder.answer(
          exchange ->
              TestResponder.send(
                  exchange,
                  other.answer(exchange.getRequestBody().readAllBytes(), new CertStatus())));
      for (int i = 1; i <= 3; i++) {
        shouldServe(client, protocol);
        assertThat(client.hasResumed()).isFalse();
        assertThat(responder.asked()).isEqualTo(i);
      }
      configure(engine, BY_RESPONDERS + BRIEF_SECONDS);
      reload();
      shouldServeOthersMeanwhile(responder, client, protocol);
      configure(engine, BY_RESPONDERS + PATIENT_SECONDS);
      reload();
      responder.answer(
          exchange ->
              TestResponder.send(
                  exchange,
                  other.answer(
                      exchange.getRequestBody().readAllBytes(),
                      new CertStatus(2, DERNull.INSTANCE))));
      shouldRefuse(client, protocol);
      shouldBeAtRest();
    }
  }

  /** Checks that clients who wait for a responder delay nobody, and do not wait for ever. */
  private void shouldServeOthersMeanwhile(
      TestResponder responder, ProvenClient client, String protocol) throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    responder.answer(_ -> Patience.await(end));
    long failures = metrics().tlsFailures().sum();
    int before = responder.asked();
    List<Thread> waiting = new ArrayList<>();
    List<Socket> leaving = new ArrayList<>();
    ConcurrentLinkedQueue<Boolean> served = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 20; i++) {
      Socket plain = new Socket(InetAddress.getLoopbackAddress(), port());
      if (i % 2 == 0) {
        leaving.add(plain);
      }
      SSLSocket socket =
          (SSLSocket)
              client.context().getSocketFactory().createSocket(plain, "127.0.0.1", port(), true);
      socket.setEnabledProtocols(new String[] {protocol});
      waiting.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    served.add(client.isServed(socket));
                    try {
                      socket.close();
                    } catch (IOException e) {
                      served.add(true);
                    }
                  }));
    }
    eventually("all wait at once", () -> responder.asked() == before + 20);
    for (Socket plain : leaving) {
      plain.close();
    }
    shouldServe(new ProvenClient(null), protocol);
    waiting.forEach(Patience::join);
    end.countDown();
    assertThat(served).hasSize(20).containsOnly(false);
    eventually("they are counted", () -> metrics().tlsFailures().sum() == failures + 20);
  }
}
