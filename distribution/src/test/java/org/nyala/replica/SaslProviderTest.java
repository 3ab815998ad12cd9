package org.nyala.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.process.LocalServer;
import org.nyala.sasl.KerberosRealm;
import org.nyala.server.RunningServer;

/** The mechanisms that slapd offers, and Kerberos. */
final class SaslProviderTest {
  private static final String ANN = "uid=ann," + SyncSlapd.SUFFIX;
  private static final String SECRET = "correct horse battery";

  /** Properties of the process that a bind must leave alone. */
  private static final List<String> PROPERTIES =
      List.of(
          "java.security.krb5.realm",
          "java.security.krb5.kdc",
          "java.security.auth.login.config",
          "javax.security.auth.useSubjectCredsOnly");

  @TempDir static Path folder;
  private static SyncSlapd slapd;

  @BeforeAll
  static void start() throws Exception {
    slapd = SyncSlapd.withSasl(Files.createDirectories(folder.resolve("slapd")));
    slapd.addTop();
    try (LDAPConnection client = slapd.client()) {
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
    slapd.close();
  }

  private static String boundAs(String url, ProviderLogin login) throws Exception {
    ProviderAccess access =
        new ProviderAccess(
            ProviderUrl.parse(url),
            new ProviderAccess.Encryption(false, true, null, true, null),
            login,
            10_000,
            10_000,
            0);
    try (ProviderConnection connection = ProviderConnection.open(access, _ -> {})) {
      WhoAmIExtendedResult answer =
          (WhoAmIExtendedResult)
              connection.connection().processExtendedOperation(new WhoAmIExtendedRequest());
      return answer.getAuthorizationID();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PLAIN",
        "SCRAM-SHA-512",
        "SCRAM-SHA-256",
        "SCRAM-SHA-1",
        "DIGEST-MD5",
        "CRAM-MD5"
      })
  void bindsToSlapd(String mechanism) throws Exception {
    Path file = Files.writeString(folder.resolve("password"), SECRET + "\nmore\n");
    ProviderLogin login = new ProviderLogin(mechanism, null, "ann", null, null, file, null);
    String url = slapd.url().replace("127.0.0.1", "localhost");
    assertThat(boundAs(url, login)).isEqualTo("dn:" + ANN);
    // The file is read for each connection.
    Files.writeString(file, "wrong\n");
    assertThatThrownBy(() -> boundAs(url, login)).isInstanceOf(LDAPException.class);
  }

  @Test
  void bindsByKerberosAndLeavesTheProcessAsItIs() throws Exception {
    Path kerberos = Files.createDirectories(folder.resolve("kerberos"));
    try (KerberosRealm realm = KerberosRealm.start(kerberos, "ann");
        RunningServer server =
            LocalServer.start(
                kerberos,
                "sasl.map = [{ mechanism = GSSAPI, match = \"ann@EXAMPLE\\\\.COM\", dn = \"cn=a\" }]\n"
                    + realm.configuration(""))) {
      String url = "ldap://localhost:" + LocalServer.port(server);
      List<String> before = PROPERTIES.stream().map(System::getProperty).toList();
      for (String named : new String[] {null, "EXAMPLE.COM"}) {
        ProviderLogin login =
            new ProviderLogin("GSSAPI", null, "ann", named, null, null, realm.keytab("ann"));
        assertThat(boundAs(url, login)).isEqualTo("dn:cn=a");
      }
      ProviderLogin other =
          new ProviderLogin("GSSAPI", null, "bob", "EXAMPLE.COM", null, null, realm.keytab("ann"));
      assertThatThrownBy(() -> boundAs(url, other)).hasMessageContaining("Kerberos: ");
      assertThat(PROPERTIES.stream().map(System::getProperty).toList()).isEqualTo(before);
    }
  }
}
