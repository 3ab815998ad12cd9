package org.nyala.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;

/**
 * Tests which certificates of clients arrive: engines, keys of servers and of clients, versions of
 * TLS, and the libraries of clients, each with each.
 */
class ClientCertificateMatrixTest extends ClientCertificateTestCase {
  private static final List<String> PROTOCOLS = List.of("TLSv1.2", "TLSv1.3");

  private static final String END = "-----END CERTIFICATE-----\n";
  private static final String BEGIN_KEY = "-----BEGIN PRIVATE";

  private static final Map<String, Issued> CLIENTS = new TreeMap<>();
  private static Path ecServer;
  private static Path rsaServer;

  /** A client of one library, which shows its certificate or is refused. */
  private interface Client {
    boolean isServed(String key, String protocol) throws Exception;
  }

  @BeforeAll
  static void makeRsaCertificates() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    KeyPair keys = generator.generateKeyPair();
    Issued server =
        root.issue(Content.client("CN=127.0.0.1").purpose(KeyPurposeId.id_kp_serverAuth), keys);
    ecServer = serverPem;
    rsaServer = Files.writeString(certificates.resolve("rsa.pem"), server.pem());
    CLIENTS.put("EC", alice);
    CLIENTS.put("RSA", root.issue(ALICE, generator.generateKeyPair()));
    for (Map.Entry<String, Issued> each : CLIENTS.entrySet()) {
      String pem = each.getValue().pem();
      Files.writeString(pem(each.getKey()), pem);
      int end = pem.indexOf(END) + END.length();
      Files.writeString(chain(each.getKey()), pem.substring(end, pem.lastIndexOf(BEGIN_KEY)));
    }
  }

  private static Path pem(String key) {
    return certificates.resolve("client-" + key + ".pem");
  }

  /** Returns the file of the certificates that vouch for the client's. */
  private static Path chain(String key) {
    return certificates.resolve("chain-" + key + ".pem");
  }

  @ParameterizedTest
  @CsvSource({"auto,EC", "auto,RSA", "boringssl,EC", "boringssl,RSA", "jdk,EC", "jdk,RSA"})
  void shouldTakeCertificatesOfClients(String engine, String serverKey) throws Exception {
    serverPem = serverKey.equals("RSA") ? rsaServer : ecServer;
    start(engine, "clientCertificate = required");
    Map<String, Client> clients =
        Map.of("GnuTLS", this::gnutls, "OpenSSL", this::openssl, "JDK", this::jdk);
    List<String> refused = new ArrayList<>();
    for (String key : CLIENTS.keySet()) {
      for (String protocol : PROTOCOLS) {
        for (Map.Entry<String, Client> client : clients.entrySet()) {
          if (!client.getValue().isServed(key, protocol)) {
            refused.add(key + " " + protocol + " " + client.getKey());
          }
        }
      }
    }
    // The one that tls.engine = jdk costs, as the manual says.
    List<String> expected = engine.equals("jdk") ? List.of("RSA TLSv1.3 GnuTLS") : List.of();
    assertThat(refused).isEqualTo(expected);
  }

  private boolean gnutls(String key, String protocol) throws Exception {
    String priority = "NORMAL:-VERS-ALL:+VERS-" + protocol.replace("v", "");
    return gnutls(pem(key), pem(key), priority).exitCode() == 0;
  }

  private boolean openssl(String key, String protocol) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                "openssl",
                "s_client",
                "-quiet",
                "-connect",
                "127.0.0.1:" + port(),
                protocol.equals("TLSv1.3") ? "-tls1_3" : "-tls1_2",
                "-cert",
                pem(key).toString(),
                "-key",
                pem(key).toString()));
    if (CLIENTS.get(key).chain().size() > 1) {
      command.addAll(List.of("-cert_chain", chain(key).toString()));
    }
    Process client =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (OutputStream out = client.getOutputStream();
        InputStream in = client.getInputStream()) {
      out.write(ProvenClient.ROOT_DSE);
      out.flush();
      return TlsClients.message(in).length > 0;
    } catch (IOException e) {
      // It has ended without an answer.
      return false;
    } finally {
      client.destroy();
    }
  }

  private boolean jdk(String key, String protocol) throws Exception {
    return new ProvenClient(CLIENTS.get(key)).isServed(port(), protocol);
  }
}
