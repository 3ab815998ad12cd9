package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.TestAuthority;
import org.nyala.netty.tls.TlsSettings;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** The ways to another server: encryption, trust, and mechanisms. */
final class ProviderConnectionTest {
  private static final String ANN = "uid=ann,dc=example,dc=com";
  private static final String SECRET = "correct horse battery";

  @TempDir static Path folder;
  private static RunningServer server;
  private static Path trust;
  private static Path other;
  private static Path own;

  @BeforeAll
  static void start() throws Exception {
    TestAuthority root = TestAuthority.root("CN=Root");
    trust = Files.writeString(folder.resolve("ca.pem"), root.pem());
    other = Files.writeString(folder.resolve("other.pem"), TestAuthority.root("CN=Other").pem());
    Path served =
        Files.writeString(
            folder.resolve("server.pem"),
            root.issue(TestAuthority.Content.server("CN=server")).pem());
    own =
        Files.writeString(
            folder.resolve("own.pem"), root.issue(TestAuthority.Content.client("CN=ann")).pem());
    server =
        LocalServer.start(
            folder,
            """
            listeners = ["ldap://127.0.0.1:0", "ldaps://127.0.0.1:0"]
            tls { certificate = "%s", clientCertificate = optional, clientCa = "%s" }
            sasl.map = [{ match = "ann", dn = "%s" }, { mechanism = EXTERNAL, match = ".*", dn = "%s" }]
            password.scheme = SCRAM-SHA-256
            """
                .formatted(served, trust, ANN, ANN));
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      client.add(
          "dn: dc=example,dc=com",
          "objectClass: organization",
          "objectClass: dcObject",
          "o: x",
          "dc: example");
      client.add(
          "dn: " + ANN,
          "objectClass: inetOrgPerson",
          "uid: ann",
          "cn: Ann",
          "sn: A",
          "userPassword: " + SECRET);
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static ProviderAccess access(
      String host, boolean isTls, boolean startTls, Path trusted, ProviderLogin login) {
    int port = URI.create(server.listeners().get(isTls ? 1 : 0)).getPort();
    return new ProviderAccess(
        new ProviderUrl(host, port, isTls),
        new ProviderAccess.Encryption(
            startTls, true, trusted, true, new TlsSettings.Files(own, null, null)),
        login,
        10_000,
        10_000,
        1 << 20);
  }

  private static String boundAs(ProviderAccess access) throws Exception {
    try (ProviderConnection connection = ProviderConnection.open(access, _ -> {})) {
      WhoAmIExtendedResult answer =
          (WhoAmIExtendedResult)
              connection.connection().processExtendedOperation(new WhoAmIExtendedRequest());
      return answer.getAuthorizationID();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "simple,true,false",
    "simple,false,true",
    "simple,false,false",
    "PLAIN,true,false",
    "SCRAM-SHA-256,true,false",
    "SCRAM-SHA-256,false,true",
    "EXTERNAL,true,false",
    "EXTERNAL,false,true"
  })
  void binds(String mechanism, boolean isTls, boolean startTls) throws Exception {
    ProviderLogin login = new ProviderLogin(mechanism, ANN, "ann", null, SECRET, null, null);
    assertThat(boundAs(access("127.0.0.1", isTls, startTls, trust, login))).isEqualTo("dn:" + ANN);
  }

  @Test
  void nobodyBindsAsNobody() throws Exception {
    assertThat(boundAs(access("127.0.0.1", true, false, trust, ProviderLogin.NOBODY))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"true,false", "false,true"})
  void onlyTrustedServersGetPasswords(boolean isTls, boolean startTls) {
    ProviderLogin login = ProviderLogin.simple(ANN, SECRET);
    assertThatThrownBy(() -> boundAs(access("127.0.0.1", isTls, startTls, other, login)))
        .isInstanceOf(LDAPException.class);
    assertThatThrownBy(() -> boundAs(access("localhost", isTls, startTls, trust, login)))
        .isInstanceOf(LDAPException.class);
  }

  @Test
  void namesWhatALoginLacks() {
    assertThat(new ProviderLogin("simple", null, null, null, "x", null, null).lack())
        .isEqualTo("dn");
    assertThat(new ProviderLogin("PLAIN", ANN, null, null, "x", null, null).lack())
        .isEqualTo("user");
    assertThat(new ProviderLogin("GSSAPI", null, "a", null, null, null, null).lack())
        .isEqualTo("keytab");
    assertThat(ProviderLogin.simple(ANN, SECRET)).hasToString("simple " + ANN);
  }
}
