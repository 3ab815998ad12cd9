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
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.bouncycastle.asn1.ASN1GeneralizedTime;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.ocsp.CertStatus;
import org.bouncycastle.asn1.ocsp.RevokedInfo;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
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
        verifier, bob, "certificate of \"CN=bob\"", "it was revoked on 20", "(KEY_COMPROMISE)");
    shouldRefuse(verifier, below, "it may be revoked: no valid list of its issuer");
    String both = root.list(later) + middle.list(later);
    shouldTrust(byLists(both), below);
    shouldRefuse(
        byLists(root.list(later, middle.certificate()) + middle.list(later)),
        below,
        "that of its authority \"CN=Middle\" was revoked");
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
        .startsWith("the revocation list of \"CN=Root\" in ")
        .contains("lists.pem has ended on ");
    assertThat(byLists(ended + root.list(later) + middle.list(later)).lapse(Instant.now()))
        .isEmpty();
    assertThat(byLists(root.list(later) + middle.list(earlier)).lapse(Instant.now()))
        .contains("CN=Middle");
    ClientVerifier careless = verifier(ClientCertificates.Revocation.NONE, ended, true);
    assertThat(careless.lapse(Instant.now())).isEmpty();
  }

  @Test
  void shouldReadOnlyListsThatAreCompleteAndEnd() throws Exception {
    Extension base = Extension.create(Extension.deltaCRLIndicator, true, new ASN1Integer(1));
    String delta = root.list(later, new Extensions(base));
    assertThatThrownBy(() -> byLists(delta))
        .isInstanceOf(TlsFileException.class)
        .hasMessageContainingAll("lists.pem: not a usable revocation list", "delta");
    String endless = root.list((Instant) null, (Extensions) null);
    assertThatThrownBy(() -> byLists(endless))
        .isInstanceOf(TlsFileException.class)
        .hasMessageContaining("nextUpdate");
  }

  @Test
  void shouldResumeNothingOnAListThatHasEnded() throws Exception {
    X509Certificate[] chain = below.chain().toArray(X509Certificate[]::new);
    SSLEngine engine = SSLContext.getDefault().createSSLEngine();
    byLists(root.list(later) + middle.list(later)).resumeServerTrusted(chain, engine);
    String ended = root.list(later) + middle.list(earlier);
    ClientVerifier hard = byLists(ended);
    assertThatThrownBy(() -> hard.resumeServerTrusted(chain, engine))
        .isInstanceOf(RefusedCertificateException.class)
        .hasMessageContaining("it may be revoked: the list of its issuer has ended");
    verifier(ClientCertificates.Revocation.CRL, ended, false).resumeServerTrusted(chain, engine);
    // The list of another authority does not matter.
    byLists(root.list(later) + middle.list(later) + other().list(earlier))
        .resumeServerTrusted(chain, engine);
  }

  private static TestAuthority other() throws Exception {
    return TestAuthority.root("CN=Other");
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

  @Test
  void shouldAskAboutAClientThoughAResponderAboveIsSlow() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (TestResponder dead = new TestResponder()) {
      dead.answer(_ -> Patience.await(end));
      TestAuthority slow = root.below(Content.authority("CN=Slow").responder(dead.address()));
      Issued carol = slow.issue(Content.client("CN=carol").responder(responder.address()));
      answer(slow, revoked());
      shouldRefuse(byResponder(false), carol, "it was revoked on 20");
      end.countDown();
    }
  }

  @Test
  void shouldLeavePlacesToOtherResponders() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    OcspClient client = new OcspClient();
    Issued carol = asked("CN=carol");
    Issued dave =
        root.issue(
            Content.client("CN=dave")
                .responder(responder.address().replace("127.0.0.1", "localhost")));
    responder.answer(_ -> Patience.await(end));
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    List<OcspClient.Question> waiting = new ArrayList<>();
    for (int i = 0; i < OcspClient.MOST_OF_RESPONDER; i++) {
      waiting.add(client.ask(carol.certificate(), root.certificate(), deadline));
    }
    Patience.eventually("all wait", () -> responder.asked() == OcspClient.MOST_OF_RESPONDER);
    OcspClient.Question further = client.ask(carol.certificate(), root.certificate(), deadline);
    assertThatThrownBy(further::await)
        .hasMessage("too many certificates are checked at once by 127.0.0.1");
    answer(root, GOOD);
    assertThat(client.ask(dave.certificate(), root.certificate(), deadline).await()).isNotEmpty();
    waiting.forEach(OcspClient.Question::cancel);
    Patience.eventually(
        "the places are free",
        () -> {
          try {
            return client.ask(carol.certificate(), root.certificate(), deadline).await().length > 0;
          } catch (IOException e) {
            return false;
          }
        });
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
