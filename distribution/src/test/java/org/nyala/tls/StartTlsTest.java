package org.nyala.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AddRequest;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.TestCertificates;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;

/** Tests encryption that begins with a request (RFC 4511, section 4.14), and what demands it. */
class StartTlsTest extends TlsServerTestCase {
  private static final String OID = "1.3.6.1.4.1.1466.20037";
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final String BASE = "dc=example,dc=com";
  private static final int EXTENDED_RESPONSE = 0x78;
  private static final int SEARCH_RESULT_ENTRY = 0x64;
  private static final int ALERT = 0x15;

  @TempDir static Path certificates;
  private static TestCertificates.Pair pair;
  private static Path pem;

  @BeforeAll
  static void makeCertificate() throws Exception {
    pair =
        TestCertificates.make(certificates, "ldap.example.com", "-keyalg EC -groupname secp256r1");
    pem = pair.pem(certificates.resolve("server.pem"));
  }

  private void start(String more) throws Exception {
    server = LocalServer.start(folder, more);
  }

  private static String tls(String engine) {
    return tls(engine, "");
  }

  private static String tls(String engine, String more) {
    return "tls { certificate = \"" + pem + "\", engine = " + engine + more + " }\n";
  }

  private int port() {
    return LocalServer.port(server);
  }

  private LDAPConnection open() throws LDAPException {
    return LocalServer.connect(server);
  }

  private static ExtendedResult encrypt(LDAPConnection connection) throws Exception {
    SSLContext context = TlsClients.trusting(pair);
    return connection.processExtendedOperation(new StartTLSExtendedRequest(context));
  }

  private static String identity(LDAPConnection connection) throws LDAPException {
    return ((WhoAmIExtendedResult) connection.processExtendedOperation(new WhoAmIExtendedRequest()))
        .getAuthorizationID();
  }

  private static void shouldRefuse(ResultCode code, String words, Attempt attempt) {
    assertThatThrownBy(attempt::make)
        .isInstanceOfSatisfying(
            LDAPException.class,
            e -> {
              assertThat(e.getResultCode()).isEqualTo(code);
              assertThat(e.getDiagnosticMessage()).contains(words);
            });
  }

  private interface Attempt {
    void make() throws Exception;
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldEncryptOnRequest(String engine) throws Exception {
    start(tls(engine) + "security.minimumStrength.simpleBind = 128");
    try (LDAPConnection root = open()) {
      assertThat(root.getRootDSE().getSupportedExtendedOperationOIDs()).contains(OID);
      shouldRefuse(
          ResultCode.CONFIDENTIALITY_REQUIRED, "StartTLS", () -> root.bind("cn=admin", "admin"));
      assertThat(encrypt(root).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      assertThat(identity(root)).isEmpty();
      root.bind("cn=admin", "admin");
      root.add("dn: " + BASE, "objectClass: domain", "dc: example");
      shouldRefuse(ResultCode.OPERATIONS_ERROR, "already", () -> encrypt(root));
      assertThat(identity(root)).isEqualTo("dn:cn=admin");
    }
    Processes.Result found =
        Processes.ldapClient(
                folder,
                "ldapsearch",
                "-LLL",
                "-x",
                "-ZZ",
                "-o",
                "TLS_CACERT=" + pem,
                "-H",
                "ldap://127.0.0.1:" + port(),
                "-D",
                "cn=admin",
                "-w",
                "admin",
                "-b",
                BASE,
                "1.1")
            .shouldSucceed();
    assertThat(found.out()).contains("dn: " + BASE);
    assertThat(metrics().tlsHandshakes().sum()).isEqualTo(2);
    shouldBeAtRest();
  }

  @Test
  void shouldForgetTheIdentityAndWhatWasBegun() throws Exception {
    start(tls("auto"));
    try (LDAPConnection root = open()) {
      root.bind("cn=admin", "admin");
      assertThat(identity(root)).isEqualTo("dn:cn=admin");
      ASN1OctetString transaction =
          ((StartTransactionExtendedResult)
                  root.processExtendedOperation(new StartTransactionExtendedRequest()))
              .getTransactionID();
      AddRequest member = new AddRequest("dn: " + BASE, "objectClass: domain", "dc: example");
      member.addControl(new TransactionSpecificationRequestControl(transaction));
      assertThat(root.add(member).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      assertThat(encrypt(root).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      assertThat(identity(root)).isEmpty();
      assertThat(
              root.processExtendedOperation(new EndTransactionExtendedRequest(transaction, true))
                  .getResultCode())
          .isNotEqualTo(ResultCode.SUCCESS);
      shouldRefuse(
          ResultCode.STRONG_AUTH_REQUIRED,
          "authentication",
          () -> root.add("dn: " + BASE, "objectClass: domain", "dc: example"));
    }
    shouldBeAtRest();
  }

  @Test
  void shouldRefuseWithoutACertificate() throws Exception {
    start("");
    try (LDAPConnection client = open()) {
      assertThat(client.getRootDSE().getSupportedExtendedOperationOIDs()).doesNotContain(OID);
      shouldRefuse(ResultCode.UNAVAILABLE, "no certificate", () -> encrypt(client));
      assertThat(identity(client)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldDemandEncryption(String engine) throws Exception {
    start(tls(engine) + "security.minimumStrength { any = 128, simpleBind = 0, write = 256 }");
    try (LDAPConnection client = open()) {
      assertThat(client.getRootDSE()).isNotNull();
      for (Attempt each : everything(client)) {
        shouldRefuse(ResultCode.CONFIDENTIALITY_REQUIRED, "StartTLS", each);
      }
      assertThat(encrypt(client).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      assertThat(identity(client)).isEmpty();
    }
    assertThat(delete("TLS_AES_128_GCM_SHA256")).isEqualTo(13);
    assertThat(delete("TLS_AES_256_GCM_SHA384")).isEqualTo(32);
    assertThat(delete("TLS_CHACHA20_POLY1305_SHA256")).isEqualTo(32);
    assertThat(delete("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")).isEqualTo(13);
    assertThat(delete("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384")).isEqualTo(32);
    shouldBeAtRest();
  }

  /** Tries to delete an entry that does not exist, and returns the code of the answer. */
  private int delete(String suite) throws Exception {
    try (SSLSocket client = TlsClients.startTls(port(), pair, suite)) {
      assertThat(client.getSession().getCipherSuite()).isEqualTo(suite);
      client.getOutputStream().write(message(2, bind()));
      assertThat(result(client.getInputStream())).isZero();
      client.getOutputStream().write(message(3, new BerWriter().text(0x4a, BASE)));
      return result(client.getInputStream());
    }
  }

  private static List<Attempt> everything(LDAPConnection client) {
    return List.of(
        () -> client.search(BASE, SearchScope.BASE, "(objectClass=*)"),
        () -> client.search("", SearchScope.SUB, "(objectClass=*)"),
        () -> client.bind("cn=admin", "admin"),
        () -> client.compare(BASE, "dc", "example"),
        () -> client.delete(BASE),
        () -> client.add("dn: " + BASE, "objectClass: domain", "dc: example"),
        () -> client.modify("dn: " + BASE, "changetype: modify", "delete: dc"),
        () -> client.modifyDN(BASE, "dc=other", true),
        () -> extended(client, new WhoAmIExtendedRequest()),
        () -> extended(client, new PasswordModifyExtendedRequest("new")),
        () -> extended(client, new StartTransactionExtendedRequest()));
  }

  private static void extended(LDAPConnection client, ExtendedRequest request)
      throws LDAPException {
    ExtendedResult result = client.processExtendedOperation(request);
    if (result.getResultCode() != ResultCode.SUCCESS) {
      throw new LDAPException(result);
    }
  }

  @Test
  void shouldDemandEncryptionOfChangesAlone() throws Exception {
    start(tls("auto") + "security.minimumStrength { simpleBind = 0, write = 128 }");
    try (LDAPConnection client = open()) {
      client.bind("cn=admin", "admin");
      assertThat(identity(client)).isEqualTo("dn:cn=admin");
      for (ExtendedRequest write :
          List.of(
              new PasswordModifyExtendedRequest("new"), new StartTransactionExtendedRequest())) {
        shouldRefuse(
            ResultCode.CONFIDENTIALITY_REQUIRED, "StartTLS", () -> extended(client, write));
      }
      shouldRefuse(
          ResultCode.CONFIDENTIALITY_REQUIRED,
          "StartTLS",
          () -> client.add("dn: " + BASE, "objectClass: domain", "dc: example"));
    }
  }

  /** Returns the tag of the next response. */
  private static int operation(InputStream in) throws Exception {
    BerReader response = BerReader.trusted(TlsClients.message(in)).sequence();
    int _ = response.integer();
    return response.nextTag();
  }

  /** Returns the code in the next result. */
  private static int result(InputStream in) throws Exception {
    BerReader response = BerReader.trusted(TlsClients.message(in)).sequence();
    int _ = response.integer();
    return response.content(response.nextTag()).enumerated();
  }

  private static byte[] message(int id, BerWriter request) {
    return new BerWriter()
        .sequence(new BerWriter().integer(id).raw(request.toByteArray()))
        .toByteArray();
  }

  private static BerWriter extended(String oid) {
    return new BerWriter().constructed(0x77, new BerWriter().text(0x80, oid));
  }

  private static BerWriter bind() {
    return new BerWriter()
        .constructed(0x60, new BerWriter().integer(3).text("cn=admin").text(0x80, "admin"));
  }

  @Test
  void shouldNeverAnswerWhatCameInClearTextBehindTheRequest() throws Exception {
    start(tls("auto"));
    byte[] request = message(1, extended(OID));
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(request);
    all.write(message(2, extended(WHO_AM_I)));
    all.write(message(3, bind()));
    for (String strategy : DispatchStrategies.OFFERED) {
      String _ = server.dispatchManagement().switchStrategy(strategy);
      long before = metrics().operationsStarted().sum();
      int begun = 0;
      for (int split = 1; split <= all.size(); split++) {
        begun += inject(all.toByteArray(), request.length, split);
      }
      eventually("all have ended", () -> server.served().wire().connectionCount() == 0);
      assertThat(metrics().operationsStarted().sum() - before).as(strategy).isEqualTo(begun);
      assertThat(begun).isEqualTo(1);
    }
    assertThat(metrics().tlsHandshakes().sum()).isZero();
    shouldBeAtRest();
  }

  /** Sends bytes in two parts, and returns the number of operations that the server tells of. */
  private int inject(byte[] bytes, int requestLength, int split) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      socket.setTcpNoDelay(true);
      socket.getOutputStream().write(bytes, 0, split);
      byte[] first = split < requestLength ? null : TlsClients.message(socket.getInputStream());
      try {
        socket.getOutputStream().write(bytes, split, bytes.length - split);
        socket.shutdownOutput();
      } catch (IOException e) {
        // The server has ended the connection already.
        assertThat(first).isNotNull();
      }
      if (first == null) {
        first = TlsClients.message(socket.getInputStream());
      }
      BerReader response = BerReader.trusted(first).sequence();
      int id = response.integer();
      assertThat(id).isEqualTo(split == requestLength ? 1 : 0);
      assertThat(response.content(EXTENDED_RESPONSE).enumerated()).isEqualTo(id == 1 ? 0 : 2);
      byte[] rest = TlsClients.rest(socket);
      assertThat(rest.length == 0 || id == 1 && rest[0] == ALERT)
          .as("answer %s, then %s", id, Arrays.toString(rest))
          .isTrue();
      return id;
    }
  }

  @Test
  void shouldEndTheConnectionWithTheEncryption() throws Exception {
    // No timeout ends it.
    start(tls("auto", ", handshakeTimeoutSeconds = 300") + "limits.partialPduTimeoutSeconds = 0\n");
    try (SSLSocket client = TlsClients.startTls(port(), pair)) {
      client.shutdownOutput();
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
    byte[] request = message(1, extended(OID));
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port())) {
      client.getOutputStream().write(request);
      assertThat(TlsClients.message(client.getInputStream())).isNotEmpty();
      // Clear text where the handshake should begin.
      client.getOutputStream().write(message(2, bind()));
      byte[] rest = TlsClients.rest(client);
      assertThat(rest.length == 0 || rest[0] == ALERT).isTrue();
    }
    eventually("the failure is counted", () -> metrics().tlsFailures().sum() == 1);
    shouldBeAtRest();
  }

  @Test
  void shouldRefuseBesideOtherOperationsAndWithAValue() throws Exception {
    start(tls("auto"));
    try (LDAPConnection other = open()) {
      other.bind("cn=admin", "admin");
      other.add("dn: " + BASE, "objectClass: domain", "dc: example");
    }
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port())) {
      InputStream in = client.getInputStream();
      BerWriter withValue =
          new BerWriter().constructed(0x77, new BerWriter().text(0x80, OID).text(0x81, "value"));
      client.getOutputStream().write(message(1, withValue));
      assertThat(result(in)).isEqualTo(2);
      client.getOutputStream().write(message(2, bind()));
      assertThat(result(in)).isZero();
      client.getOutputStream().write(TlsClients.persistentSearch(3, BASE));
      assertThat(operation(in)).isEqualTo(SEARCH_RESULT_ENTRY);
      client.getOutputStream().write(message(4, extended(OID)));
      assertThat(result(in)).isEqualTo(1);
      client.getOutputStream().write(message(5, extended(WHO_AM_I)));
      byte[] answer = TlsClients.message(in);
      assertThat(new String(answer, ISO_8859_1)).contains("dn:cn=admin");
    }
    shouldBeAtRest();
  }
}
