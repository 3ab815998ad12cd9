package org.nyala.netty.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bouncycastle.asn1.ASN1GeneralizedTime;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.ocsp.CertStatus;
import org.bouncycastle.asn1.ocsp.RevokedInfo;
import org.bouncycastle.asn1.x509.CRLReason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.core.TestAuthority;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;
import org.nyala.core.TestResponder;

/** Tests that revoked certificates are refused, and those of which nobody knows. */
class RevocationCheckTest {
  private static final CertStatus GOOD = new CertStatus();

  private static TestAuthority root;
  private static TestAuthority middle;
  private static Issued alice;
  private static Issued bob;
  private static Issued below;

  @TempDir Path folder;
  private final Instant later = Instant.now().plusSeconds(3600);
  private final Instant earlier = Instant.now().minusSeconds(36_000);
  private TestResponder responder;

  @BeforeAll
  static void makeCertificates() throws Exception {
    root = TestAuthority.root("CN=Root");
    middle = root.below(Content.authority("CN=Middle"));
    alice = root.issue(Content.client("CN=alice"));
    bob = root.issue(Content.client("CN=bob"));
    below = middle.issue(Content.client("CN=below"));
  }

  @BeforeEach
  void startResponder() throws IOException {
    responder = new TestResponder();
  }

  @AfterEach
  void stopResponder() {
    responder.close();
  }

  private CertStatus revoked() {
    return new CertStatus(
        new RevokedInfo(
            new ASN1GeneralizedTime(Date.from(earlier)),
            CRLReason.lookup(CRLReason.keyCompromise)));
  }

  private ClientVerifier verifier(
      ClientCertificates.Revocation revocation, @Nullable String lists, boolean isHard)
      throws Exception {
    Path file = folder.resolve("lists.pem");
    ClientVerifier read =
        ClientVerifier.read(
            new ClientCertificates(
                ClientCertificates.Demand.OPTIONAL,
                Files.writeString(folder.resolve("ca.pem"), root.pem()),
                revocation,
                lists == null ? null : Files.writeString(file, lists),
                isHard,
                1));
    assertThat(read).isNotNull();
    return read;
  }

  private static void verify(ClientVerifier verifier, Issued issued) throws CertificateException {
    verifier.checkClientTrusted(issued.chain().toArray(X509Certificate[]::new), "EC");
  }

  private static void shouldTrust(ClientVerifier verifier, Issued issued) {
    assertThatCode(() -> verify(verifier, issued)).doesNotThrowAnyException();
  }

  private static void shouldRefuse(ClientVerifier verifier, Issued issued, String... words) {
    assertThatThrownBy(() -> verify(verifier, issued))
        .isInstanceOf(RefusedCertificateException.class)
        .hasMessageContainingAll(words);
  }

  private ClientVerifier byLists(String lists) throws Exception {
    return verifier(ClientCertificates.Revocation.CRL, lists, true);
  }

  @Test
  void shouldRefuseWhatAListNames() throws Exception {
    ClientVerifier verifier = byLists(root.list(later, bob.certificate()));
    shouldTrust(verifier, alice);
    shouldRefuse(
        verifier, bob, "certificate of CN=bob", "it was revoked on 20", "(KEY_COMPROMISE)");
    shouldRefuse(verifier, below, "it may be revoked: no valid list of its issuer");
    String both = root.list(later) + middle.list(later);
    shouldTrust(byLists(both), below);
    shouldRefuse(
        byLists(root.list(later, middle.certificate()) + middle.list(later)),
        below,
        "that of its authority CN=Middle was revoked");
    assertThatThrownBy(() -> byLists("nothing")).hasMessageContaining("no revocation list in it");
  }

  @Test
  void shouldTakeNoListThatHasEndedOrOfAnother() throws Exception {
    String ended = root.list(earlier, bob.certificate());
    String forged = TestAuthority.root("CN=Root").list(later, alice.certificate());
    for (String lists : new String[] {ended, forged, middle.list(later)}) {
      shouldRefuse(byLists(lists), alice, "it may be revoked: no valid list");
      shouldTrust(verifier(ClientCertificates.Revocation.CRL, lists, false), alice);
    }
    shouldTrust(verifier(ClientCertificates.Revocation.NONE, ended, true), bob);
    shouldRefuse(
        verifier(ClientCertificates.Revocation.CRL, root.list(later, bob.certificate()), false),
        bob,
        "was revoked");
  }

  @Test
  void shouldKnowWhichListHasEnded() throws Exception {
    String ended = root.list(earlier);
    assertThat(byLists(ended).lapse(Instant.now()))
        .startsWith("the revocation list of CN=Root in ")
        .contains("lists.pem has ended on ");
    assertThat(byLists(ended + root.list(later) + middle.list(later)).lapse(Instant.now()))
        .isEmpty();
    assertThat(byLists(root.list(later) + middle.list(earlier)).lapse(Instant.now()))
        .contains("CN=Middle");
    ClientVerifier careless = verifier(ClientCertificates.Revocation.NONE, ended, true);
    assertThat(careless.lapse(Instant.now())).isEmpty();
  }

  private ClientVerifier byResponder(boolean isHard) throws Exception {
    return verifier(ClientCertificates.Revocation.OCSP, null, isHard);
  }

  private Issued asked(String name) throws Exception {
    return root.issue(Content.client(name).responder(responder.address()));
  }

  private void answer(TestAuthority signer, CertStatus status) {
    responder.answer(
        exchange ->
            TestResponder.send(
                exchange, signer.answer(exchange.getRequestBody().readAllBytes(), status)));
  }

  @Test
  void shouldBelieveResponders() throws Exception {
    Issued carol = asked("CN=carol");
    answer(root, GOOD);
    shouldTrust(byResponder(true), carol);
    assertThat(responder.asked()).isEqualTo(1);
    answer(root, revoked());
    for (boolean isHard : new boolean[] {true, false}) {
      shouldRefuse(byResponder(isHard), carol, "it was revoked on 20", "(KEY_COMPROMISE)");
    }
  }

  private void shouldDoubt(Issued issued, String... words) throws Exception {
    shouldRefuse(byResponder(true), issued, words);
    shouldTrust(byResponder(false), issued);
    // The lists know more.
    shouldTrust(verifier(ClientCertificates.Revocation.OCSP, root.list(later), true), issued);
    shouldRefuse(
        verifier(ClientCertificates.Revocation.OCSP, root.list(later, issued.certificate()), false),
        issued,
        "was revoked");
  }

  @Test
  void shouldDoubtWhatIsNoAnswer() throws Exception {
    Issued carol = asked("CN=carol");
    shouldDoubt(carol, "it may be revoked: 127.0.0.1 cannot be asked", "HTTP status 500");
    answer(root, new CertStatus(2, DERNull.INSTANCE));
    shouldDoubt(carol, "may be revoked", "unknown");
    answer(TestAuthority.root("CN=Root"), GOOD);
    shouldDoubt(carol, "may be revoked", "signature");
    responder.answer(exchange -> TestResponder.send(exchange, new byte[] {1, 2, 3}));
    shouldDoubt(carol, "may be revoked");
    responder.answer(exchange -> TestResponder.send(exchange, new byte[100_000]));
    shouldDoubt(carol, "may be revoked", "too long");
    responder.answer(
        exchange -> {
          exchange.getResponseHeaders().set("Location", responder.address());
          exchange.sendResponseHeaders(302, -1);
        });
    shouldDoubt(carol, "may be revoked", "HTTP status 302");
    byte[][] about = new byte[1][];
    responder.answer(
        exchange -> {
          about[0] = exchange.getRequestBody().readAllBytes();
          TestResponder.send(exchange, root.answer(about[0], GOOD));
        });
    shouldTrust(byResponder(true), asked("CN=dave"));
    responder.answer(exchange -> TestResponder.send(exchange, root.answer(about[0], GOOD)));
    shouldDoubt(carol, "may be revoked", "does not include");
  }

  @Test
  void shouldDoubtWithoutAResponder() throws Exception {
    shouldDoubt(alice, "it may be revoked: it names no OCSP responder");
    for (String address : new String[] {"https://127.0.0.1/", "file:///etc/passwd", "http:", "%"}) {
      Issued issued = root.issue(Content.client("CN=erin").responder(address));
      shouldDoubt(issued, "may be revoked", "OCSP responder");
    }
    String address = responder.address();
    responder.close();
    shouldDoubt(
        root.issue(Content.client("CN=frank").responder(address)),
        "may be revoked: 127.0.0.1 cannot be asked");
  }

  @Test
  void shouldNotWaitForSlowResponders() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    responder.answer(_ -> Patience.await(end));
    shouldRefuse(byResponder(true), asked("CN=carol"), "127.0.0.1 does not answer in time");
    responder.answer(exchange -> drip(exchange, end));
    shouldRefuse(byResponder(true), asked("CN=carol"), "127.0.0.1 does not answer in time");
    end.countDown();
  }

  /** Sends a byte now and then, each within the time-out. */
  private static void drip(HttpExchange exchange, CountDownLatch end) throws Exception {
    exchange.sendResponseHeaders(200, 1000);
    OutputStream out = exchange.getResponseBody();
    for (int i = 0; i < 1000 && !end.await(100, TimeUnit.MILLISECONDS); i++) {
      out.write(0);
      out.flush();
    }
  }
}
