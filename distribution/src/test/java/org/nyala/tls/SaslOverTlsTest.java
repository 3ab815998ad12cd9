package org.nyala.tls;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ongres.scram.client.ScramClient;
import com.ongres.scram.common.util.TlsServerEndpoint;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.BindResult;
import com.unboundid.ldap.sdk.EXTERNALBindRequest;
import com.unboundid.ldap.sdk.GenericSASLBindRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SASLBindInProgressException;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;
import com.unboundid.util.ssl.SSLUtil;
import com.unboundid.util.ssl.TrustAllTrustManager;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLSocketFactory;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.DERTaggedObject;
import org.bouncycastle.asn1.DERUTF8String;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;
import org.nyala.core.TestCertificates;
import org.nyala.process.LocalServer;

/** Tests binds by SASL that depend on TLS: by certificates, and bound to the connection. */
class SaslOverTlsTest extends ClientCertificateTestCase {
  private static final String BASE = "dc=example,dc=com";
  private static final String ALICE_DN = "uid=alice," + BASE;
  private static final String EXPORTER = "tls-exporter";
  private static final String MAP =
      "}\n"
          + "sasl.map = [{ mechanism = EXTERNAL, match = \"CN=(al.*)\", search ="
          + " \"ldap:///dc=example,dc=com??sub?(uid=$1)\" }, { search = \"ldap:///??sub?(uid=$1)\""
          + " }]\n"
          + "tls {";

  private void fill() throws Exception {
    try (LDAPConnection writer = LocalServer.connectAsRoot(server)) {
      writer.add("dn: " + BASE, "objectClass: domain", "dc: example");
      writer.add(
          "dn: " + ALICE_DN,
          "objectClass: account",
          "objectClass: simpleSecurityObject",
          "uid: alice",
          "userPassword: secret");
    }
  }

  private LDAPConnection open(@Nullable Issued identity) throws Exception {
    return new LDAPConnection(
        new ProvenClient(identity).context().getSocketFactory(), "127.0.0.1", port());
  }

  private static String whoAmI(LDAPConnection client) throws LDAPException {
    return ((WhoAmIExtendedResult) client.processExtendedOperation(new WhoAmIExtendedRequest()))
        .getAuthorizationID();
  }

  private static void shouldFail(ResultCode code, LDAPConnection client) {
    assertThatThrownBy(() -> client.bind(new EXTERNALBindRequest()))
        .isInstanceOfSatisfying(
            LDAPException.class, e -> assertThat(e.getResultCode()).isEqualTo(code));
  }

  /** As slapd does: {@code bind_ssf} is of SASL alone, {@code ssf} of all, TLS included. */
  @Test
  void shouldLogTheStrengthOfTls() throws Exception {
    start("jdk", OPTIONAL + "\n" + MAP.replace("tls {", "log.access.format = stats\ntls {"));
    fill();
    try (LDAPConnection client = open(alice)) {
      client.bind(new EXTERNALBindRequest());
    }
    server.close();
    assertThat(Files.readString(folder.resolve("logs/access.log")))
        .contains(" BIND dn=\"cn=admin\" mech=SIMPLE bind_ssf=0 ssf=0\n")
        .containsPattern(" BIND dn=\"" + ALICE_DN + "\" mech=EXTERNAL bind_ssf=0 ssf=(128|256)\n");
  }

  /**
   * An administrator's lock holds for those, too, who need no password, and so does one that no
   * policy explains; one of guesses does not.
   */
  @Test
  void shouldRefuseLockedAccounts() throws Exception {
    start("jdk", OPTIONAL + "\n" + MAP);
    fill();
    try (LDAPConnection writer = LocalServer.connectAsRoot(server);
        LDAPConnection client = open(alice)) {
      set(writer, "pwdAccountLockedTime", "20260131120000Z");
      shouldFail(ResultCode.INVALID_CREDENTIALS, client);
      writer.add(
          "dn: cn=policy," + BASE,
          "objectClass: device",
          "objectClass: pwdPolicy",
          "pwdAttribute: userPassword",
          "pwdLockout: TRUE",
          "pwdMaxFailure: 5");
      set(writer, "pwdPolicySubentry", "cn=policy," + BASE);
      client.bind(new EXTERNALBindRequest());
      // A policy that counts nothing may end locks nevertheless, as for those who have passwords.
      setOf(writer, "cn=policy," + BASE, "pwdLockout", "FALSE");
      shouldFail(ResultCode.INVALID_CREDENTIALS, client);
      setOf(writer, "cn=policy," + BASE, "pwdLockoutDuration", "900");
      client.bind(new EXTERNALBindRequest());
      set(writer, "pwdAccountLockedTime", "29990131120000Z");
      client.bind(new EXTERNALBindRequest());
      set(writer, "pwdAccountLockedTime", "000001010000Z");
      shouldFail(ResultCode.INVALID_CREDENTIALS, client);
      set(writer, "pwdAccountLockedTime");
      client.bind(new EXTERNALBindRequest());
      set(writer, "pwdEndTime", "20260131120000Z");
      shouldFail(ResultCode.INVALID_CREDENTIALS, client);
    }
  }

  private static void set(LDAPConnection writer, String attribute, String... values)
      throws LDAPException {
    setOf(writer, ALICE_DN, attribute, values);
  }

  private static void setOf(LDAPConnection writer, String name, String attribute, String... values)
      throws LDAPException {
    writer.modify(name, new Modification(ModificationType.REPLACE, attribute, values));
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldBindByCertificates(String engine) throws Exception {
    start(engine, OPTIONAL + "\n" + MAP);
    fill();
    try (LDAPConnection client = open(alice)) {
      assertThat(client.getRootDSE().getAttributeValues("supportedSASLMechanisms"))
          .contains("EXTERNAL", "PLAIN", "SCRAM-SHA-256-PLUS", "SCRAM-SHA-512-PLUS");
      client.bind(new EXTERNALBindRequest());
      assertThat(whoAmI(client)).isEqualTo("dn:" + ALICE_DN);
      client.bind("", "");
      assertThat(whoAmI(client)).isEmpty();
      client.bind(new EXTERNALBindRequest());
      assertThat(whoAmI(client)).isEqualTo("dn:" + ALICE_DN);
    }
    try (LDAPConnection client = open(root.issue(Content.client("CN=also")))) {
      shouldFail(ResultCode.INVALID_CREDENTIALS, client);
    }
    // No rule fits: the subject itself, whether there is such an entry or not, as with slapd.
    Map<String, String> subjects =
        Map.of(
            "DC=com,DC=example,UID=alice",
            ALICE_DN,
            "DC=com,DC=example,UID=bob",
            "uid=bob," + BASE,
            "O=Example",
            "o=Example",
            "CN=Eve,E=eve@example.com,SERIALNUMBER=7",
            "serialNumber=7,emailAddress=eve@example.com,cn=Eve");
    for (Map.Entry<String, String> each : subjects.entrySet()) {
      try (LDAPConnection client = open(root.issue(Content.client(each.getKey())))) {
        client.bind(new EXTERNALBindRequest());
        assertThat(whoAmI(client)).isEqualToIgnoringCase("dn:" + each.getValue());
      }
    }
    // But never root.
    try (LDAPConnection client = open(root.issue(Content.client("CN=admin")))) {
      shouldFail(ResultCode.INVALID_CREDENTIALS, client);
      assertThat(whoAmI(client)).isEmpty();
    }
    try (LDAPConnection client = open(null)) {
      shouldFail(ResultCode.AUTH_METHOD_NOT_SUPPORTED, client);
    }
    shouldBeAtRest();
  }

  private static final String SOURCES =
      """
      }
      sasl.map = [
        { mechanism = EXTERNAL, source = upn, match = "(.*)@upn", dn = "uid=$1,dc=example,dc=com" }
        { mechanism = EXTERNAL, source = email, match = "(.*)@example\\\\.com", search = "ldap:///??sub?(uid=$1)" }
        { mechanism = EXTERNAL, source = uri, match = "spiffe://example/(.*)", dn = "uid=$1,dc=example,dc=com" }
        { mechanism = EXTERNAL, source = dns, match = "alice\\\\.example", dn = "uid=alice,dc=example,dc=com" }
        { mechanism = EXTERNAL, source = certificate, search = "ldap:///??sub?(userCertificate=$1)" }
      ]
      tls {\
      """;

  private Issued issue(GeneralName... names) throws Exception {
    return root.issue(
        Content.client("CN=somebody")
            .with(
                Extension.create(
                    Extension.subjectAlternativeName, false, new GeneralNames(names))));
  }

  private static GeneralName upn(String name) {
    return new GeneralName(
        GeneralName.otherName,
        new DERSequence(
            new ASN1Encodable[] {
              new ASN1ObjectIdentifier("1.3.6.1.4.1.311.20.2.3"),
              new DERTaggedObject(true, 0, new DERUTF8String(name))
            }));
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldBindByOtherPartsOfCertificates(String engine) throws Exception {
    start(engine, OPTIONAL + "\n" + SOURCES);
    fill();
    GeneralName other = new GeneralName(GeneralName.rfc822Name, "alice@elsewhere.org");
    GeneralName mail = new GeneralName(GeneralName.rfc822Name, "alice@example.com");
    GeneralName uri =
        new GeneralName(GeneralName.uniformResourceIdentifier, "spiffe://example/alice");
    GeneralName dns = new GeneralName(GeneralName.dNSName, "alice.example");
    for (Issued each :
        List.of(issue(other, mail), issue(upn("alice@upn")), issue(uri), issue(other, dns))) {
      try (LDAPConnection client = open(each)) {
        client.bind(new EXTERNALBindRequest());
        assertThat(whoAmI(client)).isEqualTo("dn:" + ALICE_DN);
      }
    }
    // The content of a name stays one value of the filter.
    for (String name : List.of("al*", "alice)(uid=*", "bob,dc=example")) {
      GeneralName hostile = new GeneralName(GeneralName.rfc822Name, name + "@example.com");
      try (LDAPConnection client = open(issue(hostile))) {
        shouldFail(ResultCode.INVALID_CREDENTIALS, client);
      }
    }
    try (LDAPConnection client = open(issue(upn("x,uid=alice@upn")))) {
      client.bind(new EXTERNALBindRequest());
      assertThat(whoAmI(client)).isEqualTo("dn:uid=x\\2cuid\\3dalice," + BASE);
    }
    // Rules that do not fit leave the subject; that about whole certificates fits all.
    for (Issued each : List.of(issue(other), issue(upn("alice")))) {
      try (LDAPConnection client = open(each)) {
        shouldFail(ResultCode.INVALID_CREDENTIALS, client);
      }
    }
    shouldBeAtRest();
  }

  @Test
  void shouldBindByCertificatesOfEntries() throws Exception {
    start("auto", OPTIONAL + "\n" + SOURCES);
    fill();
    Issued kept = root.issue(Content.client("CN=kate"));
    Issued twin = root.issue(Content.client("CN=kate"));
    String kate = "uid=kate," + BASE;
    try (LDAPConnection writer = LocalServer.connectAsRoot(server)) {
      writer.add(
          kate,
          new Attribute("objectClass", "inetOrgPerson"),
          new Attribute("uid", "kate"),
          new Attribute("cn", "Kate"),
          new Attribute("sn", "Kate"),
          new Attribute("userCertificate;binary", kept.certificate().getEncoded()));
    }
    try (LDAPConnection client = open(kept)) {
      client.bind(new EXTERNALBindRequest());
      assertThat(whoAmI(client)).isEqualTo("dn:" + kate);
    }
    try (LDAPConnection client = open(twin)) {
      shouldFail(ResultCode.INVALID_CREDENTIALS, client);
    }
  }

  /** Binds with a client of others, which trusts that the server has the certificate. */
  private static void bindBound(LDAPConnection client, byte[] binding, String password)
      throws Exception {
    bindBound(client, TlsServerEndpoint.TLS_SERVER_END_POINT, binding, password);
  }

  private static void bindBound(LDAPConnection client, String kind, byte[] binding, String password)
      throws Exception {
    ScramClient scram =
        ScramClient.builder()
            .advertisedMechanisms(mechanisms(client))
            .username("alice")
            .password(password.toCharArray())
            .channelBinding(kind, binding)
            .build();
    assertThat(scram.getScramMechanism().getName()).isEqualTo("SCRAM-SHA-512-PLUS");
    String challenge = step(client, scram, scram.clientFirstMessage().toString());
    var _ = scram.serverFirstMessage(challenge);
    String signature = step(client, scram, scram.clientFinalMessage().toString());
    var _ = scram.serverFinalMessage(signature);
  }

  private static String step(LDAPConnection client, ScramClient scram, String message)
      throws LDAPException {
    BindResult result;
    try {
      result =
          client.bind(
              new GenericSASLBindRequest(
                  null,
                  scram.getScramMechanism().getName(),
                  new ASN1OctetString(message.getBytes(UTF_8))));
    } catch (SASLBindInProgressException e) {
      result = e.getBindResult();
    }
    return result.getServerSASLCredentials().stringValue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldBindTheChannel(String engine) throws Exception {
    start(engine, "}\npassword.scheme = SCRAM-SHA-512\ntls {");
    fill();
    byte[] binding = TlsServerEndpoint.getChannelBindingData(served);
    try (LDAPConnection client = open(null)) {
      bindBound(client, binding, "secret");
      assertThat(whoAmI(client)).isEqualTo("dn:" + ALICE_DN);
      assertThatThrownBy(() -> bindBound(client, binding, "Secret"))
          .isInstanceOf(LDAPException.class)
          .hasMessageContaining("invalid credentials");
      // Of another certificate: somebody stands in the middle.
      byte[] other = TlsServerEndpoint.getChannelBindingData(alice.certificate());
      assertThatThrownBy(() -> bindBound(client, other, "secret"))
          .isInstanceOf(LDAPException.class)
          .hasMessageContaining("invalid credentials");
      // Somebody has hidden from the client that the server binds channels.
      assertThatThrownBy(() -> begin(client, "y,,n=alice,r=abc"))
          .isInstanceOf(LDAPException.class)
          .hasMessageContaining("invalid credentials");
      assertThat(whoAmI(client)).isEmpty();
    }
    shouldBeAtRest();
  }

  @Test
  void shouldBindToTheVeryConnection() throws Exception {
    start("jdk", "}\npassword.scheme = SCRAM-SHA-512\ntls {");
    fill();
    try (LDAPConnection client = open(null);
        LDAPConnection other = open(null)) {
      bindBound(client, EXPORTER, exported(client), "secret");
      assertThat(whoAmI(client)).isEqualTo("dn:" + ALICE_DN);
      assertThatThrownBy(() -> bindBound(other, EXPORTER, exported(client), "secret"))
          .isInstanceOf(LDAPException.class)
          .hasMessageContaining("invalid credentials");
      assertThatThrownBy(() -> bindBound(other, "tls-unique", exported(other), "secret"))
          .isInstanceOf(LDAPException.class)
          .hasMessageContaining("tls-server-end-point or tls-exporter is expected");
      assertThat(whoAmI(other)).isEmpty();
      bindBound(other, EXPORTER, exported(other), "secret");
    }
    shouldBeAtRest();
  }

  /** BoringSSL exports no keying material, and TLS 1.2 not always the same to both ends. */
  @ParameterizedTest
  @CsvSource({"boringssl, TLSv1.3", "jdk, TLSv1.2"})
  void shouldBindToTheCertificateAtLeast(String engine, String protocol) throws Exception {
    start(engine, "}\npassword.scheme = SCRAM-SHA-512\ntls {");
    fill();
    SSLSocketFactory factory =
        new SSLUtil(new TrustAllTrustManager()).createSSLSocketFactory(protocol);
    try (LDAPConnection client = new LDAPConnection(factory)) {
      client.connect("127.0.0.1", port());
      assertThatThrownBy(() -> bindBound(client, EXPORTER, new byte[32], "secret"))
          .isInstanceOf(LDAPException.class)
          .hasMessageContaining("tls-server-end-point is expected");
      bindBound(client, TlsServerEndpoint.getChannelBindingData(served), "secret");
      assertThat(whoAmI(client)).isEqualTo("dn:" + ALICE_DN);
    }
  }

  /** The hash of such a certificate is not defined (RFC 5929, section 4.1). */
  @ParameterizedTest
  @ValueSource(strings = {"jdk", "auto"})
  void shouldBindToTheConnectionAlone(String engine) throws Exception {
    Path pem =
        TestCertificates.make(folder, "127.0.0.1", "-keyalg Ed25519").pem(folder.resolve("ed.pem"));
    server =
        LocalServer.start(
            folder,
            """
            listeners = ["ldap://127.0.0.1:0", "ldaps://127.0.0.1:0"]
            password.scheme = SCRAM-SHA-512, tls { certificate = "%s", engine = %s }
            """
                .formatted(pem, engine));
    fill();
    try (LDAPConnection client = open(null);
        LDAPConnection other = open(null)) {
      assertThat(mechanisms(client)).contains("SCRAM-SHA-256-PLUS", "SCRAM-SHA-512-PLUS");
      bindBound(client, EXPORTER, exported(client), "secret");
      assertThat(whoAmI(client)).isEqualTo("dn:" + ALICE_DN);
      assertThatThrownBy(() -> bindBound(other, EXPORTER, exported(client), "secret"))
          .isInstanceOf(LDAPException.class)
          .hasMessageContaining("invalid credentials");
      assertThatThrownBy(
              () ->
                  bindBound(other, TlsServerEndpoint.TLS_SERVER_END_POINT, new byte[32], "secret"))
          .isInstanceOf(LDAPException.class)
          .hasMessageContaining("the channel binding tls-exporter is expected");
      assertThatThrownBy(() -> begin(other, "y,,n=alice,r=abc"))
          .isInstanceOf(LDAPException.class)
          .hasMessageContaining("invalid credentials");
      assertThat(whoAmI(other)).isEmpty();
      bindBound(other, EXPORTER, exported(other), "secret");
    }
    // TLS 1.2 has neither.
    SSLSocketFactory old =
        new SSLUtil(new TrustAllTrustManager()).createSSLSocketFactory("TLSv1.2");
    try (LDAPConnection client = new LDAPConnection(old, "127.0.0.1", port())) {
      assertThat(client.getSSLSession().getProtocol()).isEqualTo("TLSv1.2");
      assertThat(mechanisms(client))
          .containsExactlyInAnyOrder("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512");
    }
    shouldBeAtRest();
  }

  private static List<String> mechanisms(LDAPConnection client) throws LDAPException {
    return List.of(client.getRootDSE().getAttributeValues("supportedSASLMechanisms"));
  }

  /** Begins an exchange without binding the channel. */
  private static void begin(LDAPConnection client, String message) throws LDAPException {
    BindResult _ =
        client.bind(
            new GenericSASLBindRequest(
                null, "SCRAM-SHA-256", new ASN1OctetString(message.getBytes(UTF_8))));
  }

  private static byte[] exported(LDAPConnection client) throws Exception {
    return ((ExtendedSSLSession) client.getSSLSession())
        .exportKeyingMaterialData("EXPORTER-Channel-Binding", new byte[0], 32);
  }

  /** Passwords cross a network encrypted only, by PLAIN as by a simple bind. */
  @Test
  void shouldNotTakePasswordsOverNetworks() throws Exception {
    start("auto", "}\nsecurity.minimumStrength.simpleBind = 128\ntls {");
    try (LDAPConnection client = LocalServer.connect(server)) {
      assertThat(client.getRootDSE().getAttributeValues("supportedSASLMechanisms"))
          .containsExactlyInAnyOrder("SCRAM-SHA-256", "SCRAM-SHA-512");
      for (String user : List.of("alice", "nobody", "dn:cn=admin")) {
        assertThatThrownBy(() -> client.bind(new PLAINBindRequest(user, "secret")))
            .isInstanceOfSatisfying(
                LDAPException.class,
                e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.CONFIDENTIALITY_REQUIRED));
      }
    }
    try (LDAPConnection client = open(null)) {
      client.bind(new PLAINBindRequest("dn:cn=admin", "admin"));
      assertThat(whoAmI(client)).isEqualTo("dn:cn=admin");
    }
  }
}
