package org.nyala.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.TestAuthority.Content;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;

/**
 * Tests TLS and SASL of Python's LDAP clients; the script is {@code
 * src/test/python/sasl_over_tls_test.py}.
 */
class PythonSaslTest extends ClientCertificateTestCase {
  private static final Path PROJECT = Path.of("").toAbsolutePath();
  private static final Path SCRIPTS = PROJECT.resolve("src/test/python");
  private static final String BASE = "dc=example,dc=com";

  /** Python's clients want the certificate to name the address. */
  @BeforeAll
  static void prepare() throws Exception {
    serverPem =
        Files.writeString(
            certificates.resolve("named.pem"), root.issue(Content.server("CN=named")).pem());
    run(certificates, Map.of(), SCRIPTS.resolve("prepare").toString());
  }

  /** Returns the standard error of a program that must succeed. */
  private static String run(Path folder, Map<String, String> environment, String... words)
      throws Exception {
    Processes.Result result =
        Processes.run(
            folder, environment.isEmpty() ? System.getenv() : environment, List.of(words));
    assertThat(result.exitCode()).as("%s%s", result.out(), result.err()).isZero();
    return result.err();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldServe(String engine) throws Exception {
    Path socket = folder.resolve("socket");
    start(
        engine,
        OPTIONAL
            + "\n}\nlisteners = [\"ldap://127.0.0.1:0\", \"ldaps://127.0.0.1:0\", \"ldapi://"
            + socket
            + "\"]\nsasl.map = [{ mechanism = EXTERNAL, match = \"CN=(al.*)\", search ="
            + " \"ldap:///dc=example,dc=com??sub?(uid=$1)\" }, { mechanism = PLAIN, search ="
            + " \"ldap:///??sub?(uid=$1)\" }, { mechanism = SCRAM-SHA-256, search ="
            + " \"ldap:///??sub?(uid=$1)\" }]\npassword.scheme = SCRAM-SHA-256\ntls {");
    try (LDAPConnection writer = LocalServer.connectAsRoot(server)) {
      writer.add("dn: " + BASE, "objectClass: domain", "dc: example");
      writer.add(
          "dn: uid=alice," + BASE,
          "objectClass: account",
          "objectClass: simpleSecurityObject",
          "uid: alice",
          "userPassword: secret");
    }
    Map<String, String> environment =
        Map.of(
            "NYALA_LDAP",
            "ldap://127.0.0.1:" + LocalServer.port(server),
            "NYALA_LDAPS",
            "ldaps://127.0.0.1:" + port(),
            "NYALA_LDAPI",
            "ldapi://" + URLEncoder.encode(socket.toString(), StandardCharsets.UTF_8),
            "NYALA_AUTHORITY",
            folder.resolve("ca.pem").toString(),
            "NYALA_CERTIFICATE",
            Files.writeString(folder.resolve("alice.pem"), alice.pem()).toString(),
            "PYTHONDONTWRITEBYTECODE",
            "1",
            "LDAPNOINIT",
            "1");
    String said =
        run(
            folder,
            environment,
            PROJECT.resolve("target/python/bin/python").toString(),
            SCRIPTS.resolve("sasl_over_tls_test.py").toString());
    assertThat(said).containsPattern("Ran [1-9][0-9]* tests").endsWith("\nOK\n");
    shouldBeAtRest();
  }
}
