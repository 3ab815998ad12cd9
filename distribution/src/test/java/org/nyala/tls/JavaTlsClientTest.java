package org.nyala.tls;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.util.Hashtable;
import java.util.Map;
import java.util.Objects;
import javax.naming.AuthenticationException;
import javax.naming.AuthenticationNotSupportedException;
import javax.naming.Context;
import javax.naming.NamingException;
import javax.naming.ldap.ExtendedRequest;
import javax.naming.ldap.ExtendedResponse;
import javax.naming.ldap.InitialLdapContext;
import javax.naming.ldap.StartTlsRequest;
import javax.naming.ldap.StartTlsResponse;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;
import org.nyala.process.LocalServer;

/** Tests TLS and SASL of the JDK's own LDAP client, JNDI. */
@SuppressWarnings({"JdkObsolete", "BanJNDI"}) // JNDI is under test, and it requires Hashtable.
class JavaTlsClientTest extends ClientCertificateTestCase {
  private static final String BASE = "dc=example,dc=com";
  private static final String ALICE_DN = "uid=alice," + BASE;
  private static final String CONFIGURATION =
      OPTIONAL
          + "\n}\nsasl.map = [{ mechanism = EXTERNAL, match = \"CN=(al.*)\", search ="
          + " \"ldap:///dc=example,dc=com??sub?(uid=$1)\" }, { search ="
          + " \"ldap:///??sub?(uid=$1)\" }]\ntls {";

  /** Makes the sockets of JNDI, which knows it by its name only. */
  public static final class Sockets extends SocketFactory {
    static volatile @Nullable SSLSocketFactory factory;

    private static SSLSocketFactory factory() {
      return Objects.requireNonNull(factory);
    }

    /** Is called by JNDI. */
    public static SocketFactory getDefault() {
      return new Sockets();
    }

    /** The socket that JNDI connects by itself. */
    @Override
    public Socket createSocket() throws IOException {
      return factory().createSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return factory().createSocket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort)
        throws IOException {
      return factory().createSocket(host, port, local, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
      return factory().createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
        throws IOException {
      return factory().createSocket(host, port, local, localPort);
    }
  }

  /** The operation Who am I? (RFC 4532). */
  private record WhoAmI() implements ExtendedRequest {
    private static final long serialVersionUID = 1;

    private record Answer(byte @Nullable [] value) implements ExtendedResponse {
      private static final long serialVersionUID = 1;

      @Override
      public String getID() {
        return "";
      }

      @Override
      public byte @Nullable [] getEncodedValue() {
        return value;
      }
    }

    @Override
    public String getID() {
      return "1.3.6.1.4.1.4203.1.11.3";
    }

    @Override
    public byte @Nullable [] getEncodedValue() {
      return null;
    }

    @Override
    public ExtendedResponse createExtendedResponse(
        @Nullable String id, byte @Nullable [] encoded, int offset, int length) {
      return new Answer(encoded);
    }
  }

  /** JNDI wants the certificate to name the address. */
  @BeforeAll
  static void nameTheServer() throws Exception {
    Issued named = root.issue(Content.server("CN=named"));
    serverPem = Files.writeString(certificates.resolve("named.pem"), named.pem());
  }

  private void begin(String engine) throws Exception {
    start(engine, CONFIGURATION);
    try (LDAPConnection writer = LocalServer.connectAsRoot(server)) {
      writer.add("dn: " + BASE, "objectClass: domain", "dc: example");
      writer.add(
          "dn: " + ALICE_DN,
          "objectClass: account",
          "objectClass: simpleSecurityObject",
          "uid: alice",
          "userPassword: {CLEARTEXT}secret");
    }
  }

  private static SSLSocketFactory sockets(@Nullable Issued identity) throws Exception {
    return new ProvenClient(identity).context().getSocketFactory();
  }

  private InitialLdapContext connect(@Nullable Issued identity, Map<String, String> more)
      throws Exception {
    Sockets.factory = sockets(identity);
    Hashtable<String, String> environment = new Hashtable<>();
    environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory");
    environment.put(Context.PROVIDER_URL, "ldaps://127.0.0.1:" + port());
    environment.put("java.naming.ldap.factory.socket", Sockets.class.getName());
    environment.put("com.sun.jndi.ldap.read.timeout", "60000");
    environment.putAll(more);
    return new InitialLdapContext(environment, null);
  }

  private InitialLdapContext connectClear() throws NamingException {
    Hashtable<String, String> environment = new Hashtable<>();
    environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.ldap.LdapCtxFactory");
    environment.put(Context.PROVIDER_URL, "ldap://127.0.0.1:" + LocalServer.port(server));
    environment.put("com.sun.jndi.ldap.read.timeout", "60000");
    return new InitialLdapContext(environment, null);
  }

  private static String whoAmI(InitialLdapContext client) throws NamingException {
    byte[] value = client.extendedOperation(new WhoAmI()).getEncodedValue();
    return value == null ? "" : new String(value, UTF_8);
  }

  private static Map<String, String> login(String mechanism, String user, String password) {
    return Map.of(
        Context.SECURITY_AUTHENTICATION,
        mechanism,
        Context.SECURITY_PRINCIPAL,
        user,
        Context.SECURITY_CREDENTIALS,
        password);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldBindOverLdaps(String engine) throws Exception {
    begin(engine);
    InitialLdapContext simple = connect(null, login("simple", ALICE_DN, "secret"));
    assertThat(whoAmI(simple)).isEqualTo("dn:" + ALICE_DN);
    simple.close();
    InitialLdapContext plain = connect(null, login("PLAIN", "alice", "secret"));
    assertThat(whoAmI(plain)).isEqualTo("dn:" + ALICE_DN);
    plain.close();
    InitialLdapContext external =
        connect(alice, Map.of(Context.SECURITY_AUTHENTICATION, "EXTERNAL"));
    assertThat(whoAmI(external)).isEqualTo("dn:" + ALICE_DN);
    external.close();
    assertThatThrownBy(() -> connect(null, login("PLAIN", "alice", "Secret")))
        .isInstanceOf(AuthenticationException.class);
    assertThatThrownBy(() -> connect(null, Map.of(Context.SECURITY_AUTHENTICATION, "EXTERNAL")))
        .isInstanceOf(AuthenticationNotSupportedException.class);
    shouldBeAtRest();
  }

  /** The first mechanism of a list that the JDK has, and another identity to act as. */
  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldHonourThePropertiesOfSasl(String engine) throws Exception {
    begin(engine);
    InitialLdapContext chosen = connect(null, login("SCRAM-SHA-256 PLAIN", "alice", "secret"));
    assertThat(whoAmI(chosen)).isEqualTo("dn:" + ALICE_DN);
    chosen.close();
    Hashtable<String, String> acting = new Hashtable<>(login("PLAIN", "dn:cn=admin", "admin"));
    acting.put("java.naming.security.sasl.authorizationId", "dn:" + ALICE_DN);
    InitialLdapContext other = connect(null, acting);
    assertThat(whoAmI(other)).isEqualTo("dn:" + ALICE_DN);
    other.close();
    Hashtable<String, String> denied = new Hashtable<>(login("PLAIN", "alice", "secret"));
    denied.put("java.naming.security.sasl.authorizationId", "dn:cn=admin");
    assertThatThrownBy(() -> connect(null, denied)).hasMessageContaining("error code 50");
    shouldBeAtRest();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldStartTls(String engine) throws Exception {
    begin(engine);
    InitialLdapContext client = connectClear();
    StartTlsResponse tls = (StartTlsResponse) client.extendedOperation(new StartTlsRequest());
    tls.setHostnameVerifier((_, _) -> true);
    var _ = tls.negotiate(sockets(alice));
    assertThat(whoAmI(client)).isEmpty();
    var _ = client.addToEnvironment(Context.SECURITY_AUTHENTICATION, "EXTERNAL");
    // Binds over the same connection.
    client.reconnect(null);
    assertThat(whoAmI(client)).isEqualTo("dn:" + ALICE_DN);
    login("simple", "cn=admin", "admin").forEach((key, value) -> set(client, key, value));
    client.reconnect(null);
    assertThat(whoAmI(client)).isEqualTo("dn:cn=admin");
    tls.close();
    client.close();
    shouldBeAtRest();
  }

  private static void set(InitialLdapContext client, String key, String value) {
    try {
      var _ = client.addToEnvironment(key, value);
    } catch (NamingException e) {
      throw new AssertionError(e);
    }
  }
}
