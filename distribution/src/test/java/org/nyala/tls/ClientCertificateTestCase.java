package org.nyala.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.TestAuthority;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/**
 * A server that asks for certificates, and clients that show good and bad ones.
 *
 * <p>Confined to the test's thread.
 */
abstract class ClientCertificateTestCase extends TlsServerTestCase {
  static final Content ALICE = Content.client("CN=alice");
  static final String OPTIONAL = "clientCertificate = optional";

  @TempDir static Path certificates;
  static TestAuthority root;
  static Issued alice;
  static Issued ten;
  static Path serverPem;
  static X509Certificate served;
  static final Map<String, Issued> BAD = new LinkedHashMap<>();

  @BeforeAll
  static void makeCertificates() throws Exception {
    root = TestAuthority.root("CN=Root");
    alice = root.below(Content.authority("CN=Middle")).issue(ALICE);
    Instant begin = Instant.now().minusSeconds(3600);
    Issued own =
        root.issue(
            Content.client("CN=127.0.0.1")
                .purpose(KeyPurposeId.id_kp_serverAuth)
                .valid(begin, begin.plus(30, ChronoUnit.DAYS)));
    served = own.certificate();
    serverPem = Files.writeString(certificates.resolve("server.pem"), own.pem());
    Instant now = Instant.now();
    BAD.put("expired", root.issue(ALICE.valid(now.minusSeconds(3600), now.minusSeconds(60))));
    BAD.put("early", root.issue(ALICE.valid(now.plusSeconds(3600), now.plusSeconds(7200))));
    BAD.put("unknown", TestAuthority.root("CN=Other").issue(ALICE));
    BAD.put("forged", TestAuthority.root("CN=Root").issue(ALICE));
    TestAuthority self = TestAuthority.root("CN=alice");
    BAD.put("self-signed", new Issued(self.chain(), self.keys()));
    BAD.put("server", root.issue(ALICE.purpose(KeyPurposeId.id_kp_serverAuth)));
    BAD.put("large", root.issue(ALICE.padding(20_000)));
    TestAuthority last = root;
    ten = alice;
    for (int i = 0; i < 11; i++) {
      last = last.below(Content.authority("CN=Level " + i));
      ten = i == 8 ? last.issue(ALICE) : ten;
    }
    assertThat(ten.chain()).hasSize(10);
    BAD.put("long", last.issue(ALICE));
    assertThat(BAD.get("long").chain()).hasSize(12);
  }

  /** Writes the configuration, with the authority in {@code ca.pem}. */
  final Path configure(String engine, String more) throws Exception {
    return ServerProcess.configure(
        folder,
        """
        listeners = ["ldap://127.0.0.1:0", "ldaps://127.0.0.1:0"]
        dispatch.eventLoops = 1
        tls { certificate = "%s", engine = %s, clientCa = ca.pem
          checkIntervalSeconds = 1
          %s%s }
        """
            .formatted(
                serverPem,
                engine,
                more,
                more.contains("clientRevocation") ? ", clientCrl = crl.pem" : ""));
  }

  final void start(String engine, String more) throws Exception {
    Files.writeString(folder.resolve("ca.pem"), root.pem());
    list();
    Path file = configure(engine, more);
    server = LocalServer.startFrom(file, folder);
  }

  /** Writes the revocation lists of all authorities of alice. */
  final void list(X509Certificate... revoked) throws Exception {
    Files.writeString(
        folder.resolve("crl.pem"), root.list(Instant.now().plusSeconds(3600), revoked));
  }

  final void reload() {
    assertThat(server.served().control().reload().needRestart()).isEmpty();
  }

  /**
   * Has Debian's ldapsearch, which uses GnuTLS, read the root DSE.
   *
   * @param priority the versions and algorithms of TLS, in the words of GnuTLS
   */
  final Processes.Result gnutls(Path certificate, Path key, String priority) throws Exception {
    return Processes.ldapClient(
        folder,
        "ldapsearch",
        "-x",
        "-o",
        "TLS_REQCERT=never",
        "-o",
        "TLS_CERT=" + certificate,
        "-o",
        "TLS_KEY=" + key,
        "-o",
        "TLS_CIPHER_SUITE=" + priority,
        "-H",
        "ldaps://127.0.0.1:" + port(),
        "-b",
        "",
        "-s",
        "base");
  }

  final int port() {
    return URI.create(server.listeners().get(1)).getPort();
  }

  final void shouldServe(ProvenClient client, String protocol) throws Exception {
    long before = metrics().tlsHandshakes().sum();
    assertThat(client.isServed(port(), protocol)).isTrue();
    assertThat(metrics().tlsHandshakes().sum()).isEqualTo(before + 1);
  }

  final void shouldRefuse(ProvenClient client, String protocol) throws Exception {
    long handshakes = metrics().tlsHandshakes().sum();
    long failures = metrics().tlsFailures().sum();
    assertThat(client.isServed(port(), protocol)).isFalse();
    eventually("it is counted", () -> metrics().tlsFailures().sum() == failures + 1);
    assertThat(metrics().tlsHandshakes().sum()).isEqualTo(handshakes);
  }
}
