package org.nyala.netty.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.x509.CertificatePolicies;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.PolicyInformation;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.TestAuthority;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;

/** Tests which certificates of clients are refused, and the words for it. */
class ClientVerifierTest {
  private static final String NAME = "CN=alice,O=Example";

  private final Instant now = Instant.now();
  private final Instant later = now.plusSeconds(3600);
  private final Instant earlier = now.minusSeconds(3600);
  private final Content client = Content.client(NAME);

  private static TestAuthority root;
  private static TestAuthority middle;

  @TempDir Path folder;

  @BeforeAll
  static void makeAuthorities() throws Exception {
    root = TestAuthority.root("CN=Root");
    middle = root.below(Content.authority("CN=Middle"));
  }

  private ClientVerifier verifier(String authorities) throws Exception {
    Path file = Files.writeString(folder.resolve("ca.pem"), authorities);
    return verifier(file);
  }

  private static ClientVerifier verifier(Path authorities) throws Exception {
    ClientVerifier read =
        ClientVerifier.read(
            new ClientCertificates(
                ClientCertificates.Demand.REQUIRED,
                authorities,
                ClientCertificates.Revocation.NONE,
                null,
                true,
                1));
    assertThat(read).isNotNull();
    return read;
  }

  private static void verify(ClientVerifier verifier, List<X509Certificate> chain)
      throws CertificateException {
    verifier.checkClientTrusted(chain.toArray(X509Certificate[]::new), "EC");
  }

  private void shouldRefuse(List<X509Certificate> chain, String... words) throws Exception {
    ClientVerifier verifier = verifier(root.pem());
    assertThatThrownBy(() -> verify(verifier, chain))
        .isInstanceOf(RefusedCertificateException.class)
        .hasMessageContainingAll(words);
  }

  @Test
  void shouldTrustWhatAnAuthorityVouchesFor() throws Exception {
    ClientVerifier verifier = verifier(root.pem());
    Issued direct = root.issue(client);
    Issued below = middle.issue(client);
    assertThat(below.chain()).hasSize(2);
    List<X509Certificate> whole = new ArrayList<>(below.chain());
    whole.add(root.certificate());
    List<X509Certificate> more = new ArrayList<>(direct.chain());
    more.add(TestAuthority.root("CN=Unrelated").certificate());
    for (List<X509Certificate> chain : List.of(direct.chain(), below.chain(), whole, more)) {
      assertThatCode(() -> verify(verifier, chain)).doesNotThrowAnyException();
    }
    assertThatCode(() -> verify(verifier, root.issue(client.purpose(null)).chain()))
        .doesNotThrowAnyException();
    ClientVerifier ofMiddle = verifier(middle.pem());
    assertThatCode(() -> verify(ofMiddle, below.chain())).doesNotThrowAnyException();
    assertThatThrownBy(() -> verify(ofMiddle, direct.chain())).hasMessageContaining("\"CN=Root\"");
    assertThat(verifier.getAcceptedIssuers()).containsExactly(root.certificate());
  }

  @Test
  void shouldRefuseWhatIsNotValidNow() throws Exception {
    shouldRefuse(
        root.issue(client.valid(earlier, now.minusSeconds(60))).chain(),
        "certificate of \"O=Example,CN=alice\" is refused",
        "it has expired on " + now.minusSeconds(60).toString().substring(0, 13));
    shouldRefuse(
        root.issue(client.valid(later, later.plusSeconds(60))).chain(),
        "it is not valid before " + later.toString().substring(0, 13));
    TestAuthority expired =
        root.below(Content.authority("CN=Old").valid(earlier, now.minusSeconds(60)));
    shouldRefuse(expired.issue(client).chain(), "that of its authority \"CN=Old\" has expired on");
  }

  @Test
  void shouldRefuseWhatNobodyVouchesFor() throws Exception {
    shouldRefuse(
        TestAuthority.root("CN=Other").issue(client).chain(),
        "leads to no authority of tls.clientCa, but to \"CN=Other\"");
    // An authority of the same name, with another key.
    shouldRefuse(TestAuthority.root("CN=Root").issue(client).chain(), "but to \"CN=Root\"");
    shouldRefuse(TestAuthority.root(NAME).chain(), "it is not for signatures");
    // The chain is there, but its first certificate is not a part of it.
    List<X509Certificate> broken =
        List.of(TestAuthority.root("CN=Middle").issue(client).certificate(), middle.certificate());
    shouldRefuse(broken, "it does not hold", "signature");
    // A client's certificate vouches for nobody.
    Issued bob = root.issue(Content.client("CN=bob"));
    TestAuthority notOne = new TestAuthority(bob.chain(), bob.keys());
    shouldRefuse(notOne.issue(client).chain(), "its authority \"CN=bob\" does not hold");
    ClientVerifier trusting = verifier(notOne.pem());
    assertThatThrownBy(() -> verify(trusting, notOne.issue(client).chain()))
        .hasMessageContaining("leads to no authority");
  }

  @Test
  void shouldRefuseOtherPurposes() throws Exception {
    shouldRefuse(
        root.issue(client.purpose(KeyPurposeId.id_kp_serverAuth)).chain(),
        "it does not hold: not for clients, by its extended key usage");
    TestAuthority forServers =
        root.below(Content.authority("CN=Servers").purpose(KeyPurposeId.id_kp_serverAuth));
    shouldRefuse(forServers.issue(client).chain(), "its authority \"CN=Servers\" does not hold");
    assertThatCode(
            () ->
                verify(
                    verifier(root.pem()),
                    root.issue(client.purpose(KeyPurposeId.anyExtendedKeyUsage)).chain()))
        .doesNotThrowAnyException();
    shouldRefuse(root.chain(), "it is not for signatures, by its key usage");
  }

  @Test
  void shouldBoundChains() throws Exception {
    TestAuthority last = root;
    for (int i = 0; i < 9; i++) {
      last = last.below(Content.authority("CN=Level " + i));
    }
    List<X509Certificate> ten = last.issue(client).chain();
    assertThat(ten).hasSize(10);
    ClientVerifier verifier = verifier(root.pem());
    assertThatCode(() -> verify(verifier, ten)).doesNotThrowAnyException();
    List<X509Certificate> eleven =
        last.below(Content.authority("CN=Level 9")).issue(client).chain();
    shouldRefuse(eleven, "it comes with more than 9 others");
    shouldRefuse(root.issue(client.padding(17_000)).chain(), "more than 16384 bytes");
  }

  private static Extension policies(String... identifiers) throws IOException {
    PolicyInformation[] all =
        Stream.of(identifiers)
            .map(each -> new PolicyInformation(new ASN1ObjectIdentifier(each)))
            .toArray(PolicyInformation[]::new);
    return Extension.create(Extension.certificatePolicies, false, new CertificatePolicies(all));
  }

  private static String[] distinct(int count) {
    return IntStream.range(0, count).mapToObj(i -> "1.2.3." + i).toArray(String[]::new);
  }

  @Test
  void shouldBoundPolicies() throws Exception {
    Content below = Content.authority("CN=Below");
    ClientVerifier verifier = verifier(root.pem());
    TestAuthority good = root.below(below.with(policies(distinct(8))));
    verify(verifier, good.issue(client.with(policies(distinct(32)))).chain());
    shouldRefuse(
        good.issue(client.with(policies(distinct(33)))).chain(), "it names more than 32 policies");
    shouldRefuse(
        good.issue(client.with(policies("1.2.3.4", "1.2.3.4"))).chain(), "it names a policy twice");
    shouldRefuse(
        root.below(below.with(policies(distinct(9)))).issue(client).chain(),
        "its authority \"CN=Below\" names more than 8 policies");
    DERSequence mapping =
        new DERSequence(
            new DERSequence(
                new ASN1Encodable[] {
                  new ASN1ObjectIdentifier("1.2.3.1"), new ASN1ObjectIdentifier("1.2.3.2")
                }));
    shouldRefuse(
        root.below(below.with(Extension.create(Extension.policyMappings, false, mapping)))
            .issue(client)
            .chain(),
        "its authority \"CN=Below\" maps policies");
    // Each level would double the tree of the JDK's validator.
    TestAuthority last = root;
    for (int i = 0; i < 9; i++) {
      last = last.below(Content.authority("CN=" + i).with(policies("1.2.3.4", "1.2.3.4")));
    }
    shouldRefuse(last.issue(client).chain(), "names a policy twice");
  }

  @Test
  void shouldRefuseWeakSignaturesAndKeys() throws Exception {
    shouldRefuse(
        root.issue(client.digest("SHA1")).chain(), "it has a weak signature: SHA1withECDSA");
    TestAuthority weak = root.below(Content.authority("CN=Weak").digest("SHA1"));
    shouldRefuse(weak.issue(client).chain(), "its authority \"CN=Weak\" has a weak signature");
    ClientVerifier trusting = verifier(weak.pem());
    verify(trusting, weak.issue(client).chain());
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(1024);
    KeyPair few = generator.generateKeyPair();
    shouldRefuse(root.issue(client, few).chain(), "it has a key of 1024 bits, fewer than 2048");
    generator.initialize(2048);
    verify(verifier(root.pem()), root.issue(client, generator.generateKeyPair()).chain());
  }

  @Test
  void shouldTryAllCertificatesOfAnAuthority() throws Exception {
    String old = root.renewed(earlier, now.minusSeconds(60)).pem();
    String early = root.renewed(later, later).pem();
    verify(verifier(old + early + root.pem()), middle.issue(client).chain());
    ClientVerifier outdated = verifier(old + early);
    assertThatThrownBy(() -> verify(outdated, root.issue(client).chain()))
        .hasMessageContaining("its authority \"CN=Root\" has expired");
  }

  @Test
  void shouldQuoteNames() throws Exception {
    shouldRefuse(
        TestAuthority.root("CN=Other").issue(Content.client("CN=a\\\" is fine")).chain(),
        "the certificate of \"CN=a\\\\\\\" is fine\" is refused");
  }

  /** A signature has more than one encoding; what is signed has one. */
  @Test
  void shouldRefuseWhatWasChanged() throws Exception {
    ClientVerifier verifier = verifier(root.pem());
    X509Certificate good = root.issue(client).certificate();
    byte[] encoded = good.getEncoded();
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int refused = 0;
    for (int i = 0; i < 2000; i++) {
      byte[] changed = encoded.clone();
      changed[random.nextInt(changed.length)] ^= (byte) (1 + random.nextInt(255));
      X509Certificate certificate;
      try {
        certificate = TrustFiles.certificate(changed);
      } catch (GeneralSecurityException e) {
        continue;
      }
      try {
        verify(verifier, List.of(certificate));
      } catch (RefusedCertificateException e) {
        refused++;
        continue;
      }
      assertThat(certificate.getTBSCertificate())
          .as("what is signed; test.seed=%s, %s", seed, i)
          .isEqualTo(good.getTBSCertificate());
    }
    assertThat(refused).isPositive();
  }

  @Test
  void shouldSayNothingThatDrivesATerminal() throws Exception {
    String name = "OU=" + "y".repeat(300) + ",CN=a\u001b[2J\u202e\u2028Zoë";
    assertThatThrownBy(
            () ->
                verify(
                    verifier(root.pem()),
                    root.issue(Content.client(name).valid(earlier, earlier)).chain()))
        .message()
        .contains("CN=a\\u001b[2J\\u202e\\u2028Zoë", "...", "has expired")
        .hasSizeLessThan(600)
        .doesNotContainPattern("\\p{Cntrl}|\u202e|\u2028");
  }

  @Test
  void shouldCheckDatesWhenASessionIsResumed() throws Exception {
    ClientVerifier verifier = verifier(root.pem());
    X509Certificate[] good = {root.issue(client).certificate()};
    X509Certificate[] more = {
      good[0], TestAuthority.root("CN=Z").renewed(earlier, earlier).certificate()
    };
    X509Certificate[] bad = {root.issue(client.valid(earlier, earlier)).certificate()};
    SSLEngine engine = SSLContext.getDefault().createSSLEngine();
    verifier.resumeClientTrusted(good, engine);
    verifier.resumeServerTrusted(good, engine);
    verifier.resumeServerTrusted(more, engine);
    X509Certificate[] below = middle.issue(client).chain().toArray(X509Certificate[]::new);
    verifier.resumeServerTrusted(below, engine);
    ClientVerifier outdated = verifier(root.renewed(earlier, earlier).pem());
    for (X509Certificate[] chain : List.of(good, below)) {
      assertThatThrownBy(() -> outdated.resumeServerTrusted(chain, engine))
          .hasMessageContaining("its authority \"CN=Root\" has expired");
    }
    ClientVerifier renewed = verifier(root.renewed(earlier, earlier).pem() + root.pem());
    renewed.resumeServerTrusted(below, engine);
    assertThatThrownBy(() -> verifier.resumeClientTrusted(bad, engine))
        .hasMessageContaining("it has expired");
    assertThatThrownBy(() -> verifier.resumeServerTrusted(bad, engine))
        .hasMessageContaining("it has expired");
  }

  @Test
  void shouldReadFoldersOfAuthorities() throws Exception {
    Path place = Files.createDirectory(folder.resolve("ca"));
    assertThatThrownBy(() -> verifier(place)).hasMessageContaining("no file with a certificate");
    Files.writeString(place.resolve("a.pem"), root.pem());
    Files.writeString(place.resolve("b.pem"), TestAuthority.root("CN=Second").pem() + root.pem());
    Files.writeString(place.resolve(".hidden"), "nothing");
    Files.createDirectory(place.resolve("below"));
    assertThat(verifier(place).getAcceptedIssuers()).hasSize(2);
    FileStamps before = stamps(place);
    assertThat(stamps(place)).isEqualTo(before);
    Path third = Files.writeString(place.resolve("c.pem"), middle.pem());
    assertThat(stamps(place)).isNotEqualTo(before);
    Files.writeString(third, "no certificate");
    assertThatThrownBy(() -> verifier(place))
        .hasMessageContaining("c.pem: there is no certificate");
    assertThatThrownBy(() -> verifier(folder.resolve("none.pem")))
        .isInstanceOf(TlsFileException.class)
        .hasMessageContaining("there is no file");
  }

  private static FileStamps stamps(Path authorities) {
    return FileStamps.of(
        new TlsSettings(
            TlsSettings.Engine.JDK,
            List.of(),
            1,
            1,
            new ClientCertificates(
                ClientCertificates.Demand.OPTIONAL,
                authorities,
                ClientCertificates.Revocation.NONE,
                null,
                true,
                1)));
  }

  @Test
  void shouldAnnounceNoMoreNamesThanClientsRead() throws Exception {
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      many.append(TestAuthority.root("CN=Authority %d,O=%s".formatted(i, "x".repeat(60))).pem());
    }
    ClientVerifier verifier = verifier(many + root.pem());
    assertThat(verifier.getAcceptedIssuers()).isEmpty();
    verify(verifier, root.issue(client).chain());
    assertThat(verifier).hasToString("required, trusted authorities: 301, revocation: none");
  }
}
