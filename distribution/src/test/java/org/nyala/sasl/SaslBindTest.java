package org.nyala.sasl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.ongres.scram.client.ScramClient;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.BindResult;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.GenericSASLBindRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SASLBindInProgressException;
import com.unboundid.ldap.sdk.SCRAMSHA256BindRequest;
import com.unboundid.ldap.sdk.SCRAMSHA512BindRequest;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.server.RunningServer;

/** Tests binds by SASL with clients of others, and what must not be possible with them. */
class SaslBindTest {
  private static final String BASE = "dc=example,dc=com";
  private static final String ANN = "uid=ann," + BASE;
  private static final String BOB = "uid=bob," + BASE;
  private static final String SCRAM = "SCRAM-SHA-256";
  private static final int TIMEOUT_SECONDS = 5;

  @TempDir static Path folder;

  private static RunningServer server;

  @BeforeAll
  static void serve() throws Exception {
    server =
        LocalServer.start(
            folder,
            """
            guessing.failuresPerSource = 0, guessing.failuresPerKnownSource = 0
            sasl.lookThroughLimit = 20, sasl.timeoutSeconds = 5
            sasl.map = [
              { match = "by-name-(.+)", dn = "uid=$1,dc=example,dc=com" }
              { match = "root-(.+)", dn = "cn=$1" }
              { match = "slow-(.+)", search = "ldap:///??sub?(description=*$1*)" }
              { match = "one-(.+)", search = "ldap:///dc=example,dc=com??one?(uid=$1)" }
              { mechanism = PLAIN, match = "only-plain", dn = "uid=ann,dc=example,dc=com" }
              { search = "ldap:///??sub?(uid=$1)" }
            ]
            """);
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + BASE, "objectClass: domain", "dc: example");
      add(root, "ann", "{CLEARTEXT}secret");
      root.add("dn: ou=a," + BASE, "objectClass: organizationalUnit", "ou: a", "description: b");
      root.add("dn: uid=twice," + BASE, "objectClass: account", "uid: twice");
      root.add("dn: uid=twice,ou=a," + BASE, "objectClass: account", "uid: twice");
    }
  }

  @AfterAll
  static void stop() {
    eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    server.close();
  }

  private static void add(LDAPConnection root, String uid, String password) throws Exception {
    for (String name : List.of(uid, "bob")) {
      String dn = "uid=" + name + "," + BASE;
      root.add(
          "dn: " + dn,
          "objectClass: account",
          "objectClass: simpleSecurityObject",
          "uid: " + name,
          "userPassword: " + (name.equals(uid) ? password : "bobs"));
    }
  }

  /** Stores the password "secret" by a scheme. */
  private static void keys(String scheme) throws Exception {
    store(scheme, "secret");
  }

  private static void store(String scheme, String password) throws Exception {
    byte[] stored =
        PasswordHash.create(
            Objects.requireNonNull(PasswordScheme.of(scheme)),
            password.getBytes(UTF_8),
            new Random(1));
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.modify(ANN, new Modification(ModificationType.REPLACE, "userPassword", stored));
    }
  }

  private static LDAPConnection open() throws LDAPException {
    return LocalServer.connect(server);
  }

  private static String whoAmI(LDAPConnection client, Control... controls) throws LDAPException {
    ExtendedResult result = client.processExtendedOperation(new WhoAmIExtendedRequest(controls));
    if (result.getResultCode() != ResultCode.SUCCESS) {
      throw new LDAPException(result);
    }
    return ((WhoAmIExtendedResult) result).getAuthorizationID();
  }

  private static String boundAs(BindRequest request) throws LDAPException {
    try (LDAPConnection client = open()) {
      client.bind(request);
      return whoAmI(client);
    }
  }

  private static void shouldFail(ResultCode code, ThrowingCallable action) {
    assertThatThrownBy(action)
        .isInstanceOfSatisfying(
            LDAPException.class, e -> assertThat(e.getResultCode()).as("%s", e).isEqualTo(code));
  }

  private static void shouldBeWrong(BindRequest request) throws LDAPException {
    try (LDAPConnection client = open()) {
      client.bind("cn=admin", "admin");
      assertThatThrownBy(() -> client.bind(request))
          .isInstanceOfSatisfying(
              LDAPException.class,
              e -> {
                assertThat(e.getResultCode()).isEqualTo(ResultCode.INVALID_CREDENTIALS);
                assertThat(e.getDiagnosticMessage()).isNull();
              });
      assertThat(whoAmI(client)).isEmpty();
    }
  }

  @Test
  void shouldBindByPlain() throws Exception {
    keys("SSHA512");
    for (String user :
        List.of("ann", "dn:" + ANN, "u:ann", "by-name-ann", "one-ann", "only-plain")) {
      assertThat(boundAs(new PLAINBindRequest(user, "secret"))).as(user).isEqualTo("dn:" + ANN);
      shouldBeWrong(new PLAINBindRequest(user, "Secret"));
    }
    assertThat(boundAs(new PLAINBindRequest("dn:cn=admin", "admin"))).isEqualTo("dn:cn=admin");
    for (String user : List.of("nobody", "twice", "one-nobody", "dn:uid=x", "dn:x", "dn:", "*")) {
      shouldBeWrong(new PLAINBindRequest(user, "secret"));
    }
    // The rule makes root's name of what the client sends.
    shouldBeWrong(new PLAINBindRequest("root-admin", "admin"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"SCRAM-SHA-256", "SCRAM-SHA-512"})
  void shouldBindByScram(String scheme) throws Exception {
    keys(scheme);
    boolean isShort = scheme.equals(SCRAM);
    for (String user : List.of("ann", "u:ann", "by-name-ann")) {
      assertThat(boundAs(scram(isShort, user, "secret"))).isEqualTo("dn:" + ANN);
      shouldBeWrong(scram(isShort, user, "Secret"));
    }
    assertThat(boundAs(new SimpleBindRequest(ANN, "secret"))).isEqualTo("dn:" + ANN);
    assertThat(boundAs(new PLAINBindRequest("ann", "secret"))).isEqualTo("dn:" + ANN);
    for (String user : List.of("nobody", "bob", "twice", "only-plain")) {
      shouldBeWrong(scram(isShort, user, "secret"));
    }
    // These keys are of the other digest.
    shouldBeWrong(scram(!isShort, "ann", "secret"));
  }

  private static BindRequest scram(boolean isShort, String user, String password) {
    return isShort
        ? new SCRAMSHA256BindRequest(user, password)
        : new SCRAMSHA512BindRequest(user, password);
  }

  @ParameterizedTest
  @CsvSource({"SCRAM-SHA-256", "SCRAM-SHA-512", "PLAIN"})
  void shouldServeDebiansClients(String mechanism) throws Exception {
    keys(mechanism.equals("PLAIN") ? "SSHA512" : mechanism);
    Processes.Result result =
        Processes.ldapClient(
            folder,
            "ldapwhoami",
            "-Q",
            "-H",
            "ldap://127.0.0.1:" + LocalServer.port(server),
            "-O",
            "none",
            "-Y",
            mechanism,
            "-U",
            "ann",
            "-w",
            "secret");
    assertThat(result.shouldSucceed().out().strip()).isEqualTo("dn:" + ANN);
  }

  @Test
  void shouldActAsOthersOnlyIfRoot() throws Exception {
    keys(SCRAM);
    assertThat(boundAs(new PLAINBindRequest("dn:cn=admin", "dn:" + BOB, "admin")))
        .isEqualTo("dn:" + BOB);
    assertThat(boundAs(new PLAINBindRequest("dn:cn=admin", "u:bob", "admin")))
        .isEqualTo("dn:" + BOB);
    assertThat(boundAs(new PLAINBindRequest("ann", "u:ann", "secret"))).isEqualTo("dn:" + ANN);
    for (String other :
        List.of("dn:" + BOB, "u:bob", "dn:cn=admin", "u:nobody", "u:twice", "dn:x")) {
      try (LDAPConnection client = open()) {
        shouldFail(
            ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
            () -> client.bind(new PLAINBindRequest("ann", other, "secret")));
        assertThat(whoAmI(client)).isEmpty();
      }
      shouldBeWrong(new PLAINBindRequest("ann", other, "wrong"));
    }
  }

  private static BindResult step(LDAPConnection client, String mechanism, String message)
      throws LDAPException {
    try {
      return client.bind(
          new GenericSASLBindRequest(
              null, mechanism, new ASN1OctetString(message.getBytes(UTF_8))));
    } catch (SASLBindInProgressException e) {
      return e.getBindResult();
    }
  }

  private static String challenge(LDAPConnection client, String user) throws LDAPException {
    BindResult result = step(client, SCRAM, "n,,n=" + user + ",r=abc");
    assertThat(result.getResultCode()).isEqualTo(ResultCode.SASL_BIND_IN_PROGRESS);
    return result.getServerSASLCredentials().stringValue();
  }

  /** Returns the salt and the iterations that a name is shown; the exchange ends. */
  private static String shown(LDAPConnection client, String user) throws LDAPException {
    String challenge = challenge(client, user);
    client.bind(new SimpleBindRequest());
    return challenge.substring(challenge.indexOf(',') + 1);
  }

  /** Names that do not exist look like others, each always like itself. */
  @Test
  void shouldNotRevealNames() throws Exception {
    keys(SCRAM);
    List<String> seen = new ArrayList<>();
    for (String user : List.of("ann", "nobody", "nobody2", "bob", "twice")) {
      try (LDAPConnection client = open()) {
        String once = shown(client, user);
        assertThat(once).matches("s=[A-Za-z0-9+/]{22}==,i=10000");
        for (String other : List.of(user, user.toUpperCase(Locale.ROOT), "u:" + user)) {
          assertThat(shown(client, other)).as(other).isEqualTo(once);
        }
        String dn = "dn:uid=3D" + user + "=2C dc=3DExample=2Cdc=3Dcom";
        assertThat(shown(client, dn)).isEqualTo(once);
        seen.add(once);
      }
      try (LDAPConnection client = open();
          LDAPConnection other = open()) {
        assertThat(challenge(client, user)).isNotEqualTo(challenge(other, user));
      }
    }
    assertThat(seen).doesNotHaveDuplicates();
  }

  @Test
  void shouldLetNothingIntoAnExchange() throws Exception {
    keys(SCRAM);
    try (LDAPConnection client = open()) {
      client.bind("cn=admin", "admin");
      String challenge = challenge(client, "ann");
      shouldFail(ResultCode.OPERATIONS_ERROR, () -> whoAmI(client));
      shouldFail(ResultCode.OPERATIONS_ERROR, () -> client.getEntry(BASE));
      shouldFail(ResultCode.OPERATIONS_ERROR, () -> client.delete(BOB));
      shouldFail(
          ResultCode.OPERATIONS_ERROR,
          () -> {
            ExtendedRequest startTls = new StartTLSExtendedRequest();
            throw new LDAPException(client.processExtendedOperation(startTls).getResultCode());
          });
      // The exchange is where it was: a wrong proof ends it, and leaves the client anonymous.
      String nonce = challenge.substring(2, challenge.indexOf(','));
      String wrong = "c=biws,r=" + nonce + ",p=" + "A".repeat(43) + "=";
      shouldFail(ResultCode.INVALID_CREDENTIALS, () -> step(client, SCRAM, wrong));
      assertThat(whoAmI(client)).isEmpty();
      // There is no exchange any more.
      shouldFail(ResultCode.PROTOCOL_ERROR, () -> step(client, SCRAM, wrong));
    }
  }

  @Test
  void shouldDropExchangesThatOtherBindsFollow() throws Exception {
    keys(SCRAM);
    for (BindRequest other :
        List.of(
            new SimpleBindRequest(BOB, "bobs"),
            new SimpleBindRequest(),
            new PLAINBindRequest("bob", "bobs"),
            new SCRAMSHA512BindRequest("ann", "secret"),
            new GenericSASLBindRequest(null, "UNKNOWN", null))) {
      try (LDAPConnection client = open()) {
        String challenge = challenge(client, "ann");
        String nonce = challenge.substring(2, challenge.indexOf(','));
        try {
          client.bind(other);
        } catch (LDAPException e) {
          assertThat(e.getResultCode())
              .isIn(ResultCode.INVALID_CREDENTIALS, ResultCode.AUTH_METHOD_NOT_SUPPORTED);
        }
        shouldFail(
            ResultCode.PROTOCOL_ERROR, () -> step(client, SCRAM, "c=biws,r=" + nonce + ",p=AAAA"));
      }
    }
  }

  /** Each begins another one although the former has not ended. */
  @Test
  void shouldReplaceExchanges() throws Exception {
    try (LDAPConnection client = open()) {
      for (int i = 0; i < 50; i++) {
        String mechanism = i % 2 == 0 ? SCRAM : "SCRAM-SHA-512";
        assertThat(step(client, mechanism, "n,,n=ann,r=abc").getResultCode())
            .isEqualTo(ResultCode.SASL_BIND_IN_PROGRESS);
      }
      assertThat(server.served().directory().memory().held()).isLessThan(64 << 10);
    }
    eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
  }

  /** Returns a client of others, which has sent its first message and knows the challenge. */
  private static ScramClient begun(LDAPConnection client) throws Exception {
    ScramClient scram =
        ScramClient.builder()
            .advertisedMechanisms(List.of(SCRAM))
            .username("ann")
            .password("secret".toCharArray())
            .build();
    BindResult challenge = step(client, SCRAM, scram.clientFirstMessage().toString());
    var _ = scram.serverFirstMessage(challenge.getServerSASLCredentials().stringValue());
    return scram;
  }

  @Test
  void shouldNotFinishWithKeysThatHaveChanged() throws Exception {
    keys(SCRAM);
    try (LDAPConnection client = open()) {
      String proof = begun(client).clientFinalMessage().toString();
      assertThat(step(client, SCRAM, proof).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      String late = begun(client).clientFinalMessage().toString();
      store(SCRAM, "other");
      shouldFail(ResultCode.INVALID_CREDENTIALS, () -> step(client, SCRAM, late));
      assertThat(whoAmI(client)).isEmpty();
    }
  }

  /** The proof is right, but comes after the time of the exchange. */
  @Test
  void shouldNotWaitForProofsForEver() throws Exception {
    keys(SCRAM);
    try (LDAPConnection client = open()) {
      String proof = begun(client).clientFinalMessage().toString();
      long began = System.nanoTime();
      eventually(
          "the time is over",
          () -> System.nanoTime() - began > TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS));
      assertThatThrownBy(() -> step(client, SCRAM, proof))
          .hasMessageContaining("sasl.timeoutSeconds");
      assertThat(whoAmI(client)).isEmpty();
    }
  }

  /** Proxied authorization is checked as the identities of SASL are. */
  @Test
  void shouldProxyItselfOnly() throws Exception {
    keys("SSHA512");
    try (LDAPConnection client = open()) {
      client.bind(ANN, "secret");
      assertThat(whoAmI(client, new ProxiedAuthorizationV2RequestControl("dn:" + ANN)))
          .isEqualTo("dn:" + ANN);
      for (String other : List.of("dn:" + BOB, "dn:cn=admin", "")) {
        shouldFail(
            ResultCode.AUTHORIZATION_DENIED,
            () -> whoAmI(client, new ProxiedAuthorizationV2RequestControl(other)));
      }
    }
  }

  @Test
  void shouldBoundTheSearchForUsers() throws Exception {
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      for (int i = 0; i < 30; i++) {
        root.add("dn: uid=more" + i + "," + BASE, "objectClass: account", "uid: more" + i);
      }
    }
    try (LDAPConnection client = open()) {
      shouldFail(ResultCode.ADMIN_LIMIT_EXCEEDED, () -> step(client, SCRAM, "n,,n=slow-x,r=abc"));
    }
  }

  /** Begins exchanges on many connections, which are cut; nothing stays behind. */
  @Test
  void shouldForgetExchangesOfClosedConnections() throws Exception {
    keys(SCRAM);
    List<LDAPConnection> clients = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      LDAPConnection client = open();
      clients.add(client);
      assertThat(challenge(client, "ann")).isNotEmpty();
    }
    assertThat(server.served().directory().memory().held()).isGreaterThanOrEqualTo(100 * 4096);
    clients.forEach(LDAPConnection::close);
    eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
  }

  @Test
  void shouldBindUnderEveryStrategy() throws Exception {
    keys(SCRAM);
    try {
      for (String strategy : DispatchStrategies.OFFERED) {
        String _ = server.dispatchManagement().switchStrategy(strategy);
        assertThat(boundAs(scram(true, "ann", "secret"))).as(strategy).isEqualTo("dn:" + ANN);
        shouldBeWrong(scram(true, "ann", "wrong"));
        assertThat(boundAs(new PLAINBindRequest("ann", "secret"))).isEqualTo("dn:" + ANN);
      }
    } finally {
      String _ = server.dispatchManagement().switchStrategy(DispatchStrategies.DEFAULT);
    }
  }

  @Test
  void shouldRefuseMalformedMessages() throws Exception {
    try (LDAPConnection client = open()) {
      for (String message :
          List.of("", "n,,", "n,,n=a", "c=biws,r=abc,p=AAAA", "n,,m=x,n=a,r=b", "n,,n=a,r=b,m=x")) {
        shouldFail(ResultCode.PROTOCOL_ERROR, () -> step(client, SCRAM, message));
      }
      shouldFail(ResultCode.PROTOCOL_ERROR, () -> step(client, SCRAM, "p=x,,n=a,r=b"));
      shouldFail(ResultCode.PROTOCOL_ERROR, () -> step(client, "PLAIN", "ann"));
      for (String none : List.of("GSSAPI", "DIGEST-MD5", "EXTERNAL", "SCRAM-SHA-256-PLUS", "")) {
        shouldFail(ResultCode.AUTH_METHOD_NOT_SUPPORTED, () -> step(client, none, "x"));
      }
      assertThat(client.getRootDSE().getAttributeValues("supportedSASLMechanisms"))
          .containsExactlyInAnyOrder("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512");
    }
  }
}
