package org.nyala.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.TestAuthority.Content;
import org.nyala.loadtest.cli.Main;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;
import picocli.CommandLine;

/** The failover commands of the load tester at a server and its copy, over TLS and by SASL. */
class FailoverOverTlsTest extends ClientCertificateTestCase {
  private static final String BASE = "dc=example,dc=com";
  private static final String WRITER = "uid=writer," + BASE;
  private static final String PASSWORD = "correct horse";
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final String MORE =
      OPTIONAL
          + " }\nserverId = 1\naccess.writers = [\""
          + WRITER
          + "\"]\nsasl.map = [{ mechanism = EXTERNAL, match = \"CN=alice.*\", dn = \""
          + WRITER
          + "\" }, { search = \"ldap:///??sub?(uid=$1)\" }]\n"
          + "password.scheme = SCRAM-SHA-256\ntls {";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private RunningServer copy;
  private Path secret;

  @BeforeEach
  void startBoth() throws Exception {
    String named = root.issue(Content.server("CN=server")).pem();
    Files.writeString(serverPem, named);
    start("auto", MORE);
    try (LDAPConnection client = LocalServer.connectAsRoot(server)) {
      client.add("dn: " + BASE, "objectClass: domain", "dc: example");
      client.add(
          "dn: " + WRITER,
          "objectClass: account",
          "objectClass: simpleSecurityObject",
          "uid: writer",
          "userPassword: " + PASSWORD);
    }
    secret = Files.writeString(folder.resolve("secret"), PASSWORD + "\n");
    copy =
        LocalServer.start(
            Files.createDirectories(folder.resolve("copy")),
            """
            listeners = ["ldap://127.0.0.1:0", "ldaps://127.0.0.1:0"]
            tls { certificate = "%s", clientCa = "%s", %s }
            sasl.map = [{ mechanism = EXTERNAL, match = "CN=alice.*", dn = "%s" },
              { search = "ldap:///??sub?(uid=$1)" }]
            access.writers = ["%s"]
            serverId = 2
            replication { provider = "%s", bind { dn = "cn=admin", password = admin }
              retrySeconds = 1, maximumRetrySeconds = 1 }
            """
                .formatted(
                    serverPem, folder.resolve("ca.pem"), OPTIONAL, WRITER, WRITER, ldap(server)));
  }

  @AfterEach
  void stopCopy() {
    copy.close();
  }

  private static String ldap(RunningServer of) {
    return "ldap://127.0.0.1:" + LocalServer.port(of);
  }

  private static String ldaps(RunningServer of) {
    return "ldaps://127.0.0.1:" + URI.create(of.listeners().get(1)).getPort();
  }

  private int run(String command, String one, String other, List<String> more) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    List<String> words =
        new ArrayList<>(List.of(command, "--writes", "--url=" + one, "--url=" + other));
    words.add("--time-out=10");
    words.addAll(more);
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(words.toArray(String[]::new));
  }

  private List<String> quick(String... more) {
    List<String> words =
        new ArrayList<>(List.of("--operations=60", "--seconds=60", "--settle-seconds=30"));
    words.add("--ca=" + folder.resolve("ca.pem"));
    words.addAll(List.of(more));
    return words;
  }

  private void shouldLoseNothing(int exit) {
    assertThat(exit).as("%s%s", err, out).isZero();
    assertThat(out.toString()).startsWith("No acknowledged write is lost; 0 of ");
  }

  @Test
  void shouldEncryptFromTheStartAndByStartTls() {
    String[] simple = {"--bind-dn=" + WRITER, "--password-file=" + secret};
    shouldLoseNothing(run("failover", ldaps(server), ldaps(copy), quick(simple)));
    long handshakes = metrics().tlsHandshakes().sum();
    assertThat(handshakes).isGreaterThanOrEqualTo(5);
    List<String> startTls = quick(simple);
    startTls.add("--start-tls");
    shouldLoseNothing(run("failover", ldap(server), ldap(copy), startTls));
    assertThat(metrics().tlsHandshakes().sum()).isGreaterThanOrEqualTo(handshakes + 5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"})
  void shouldBindBySasl(String mechanism) {
    String[] sasl = {
      "--mechanism=" + mechanism, "--user=writer", "--password-file=" + secret,
    };
    shouldLoseNothing(run("failover", ldaps(server), ldaps(copy), quick(sasl)));
    assertThat(
            run(
                "failover",
                ldaps(server),
                ldaps(copy),
                quick("--mechanism=" + mechanism, "--user=writer", "--password=wrong")))
        .isEqualTo(FAILED);
    assertThat(err.toString())
        .contains(
            "--user: expected that "
                + ldaps(server)
                + " accepts writer, found invalidCredentials (49)")
        .doesNotContain("Exception");
  }

  @Test
  void shouldBindByCertificateAndMeasureTheLag() throws Exception {
    Path own = Files.writeString(folder.resolve("alice.pem"), alice.pem());
    String[] external = {"--mechanism=EXTERNAL", "--certificate=" + own};
    shouldLoseNothing(run("failover", ldaps(server), ldaps(copy), quick(external)));
    List<String> lag = new ArrayList<>(List.of(external));
    lag.addAll(List.of("--ca=" + folder.resolve("ca.pem"), "--seconds=1"));
    lag.add("--start-tls");
    assertThat(run("lag", ldap(server), ldap(copy), lag)).as("%s", err).isZero();
    assertThat(out.toString()).startsWith("Every write came; half of them within ");
  }

  @Test
  void shouldTrustNobodyElse() throws Exception {
    Path other = Files.writeString(folder.resolve("other.pem"), BAD.get("forged").pem());
    assertThat(run("failover", ldaps(server), ldaps(copy), List.of("--ca=" + other)))
        .isEqualTo(FAILED);
    assertThat(err.toString())
        .contains(
            "--url: expected a server that answers at the beginning, found none at "
                + ldaps(server))
        .contains("cert");
    // The name is checked as well.
    String unnamed = ldaps(server).replace("127.0.0.1", "localhost");
    assertThat(run("failover", unnamed, ldaps(copy), quick())).isEqualTo(FAILED);
    assertThat(err.toString()).contains("found none at " + unnamed);
    assertThat(run("failover", ldap(server), ldaps(copy), quick("--mechanism=SCRAM-SHA-256-PLUS")))
        .isEqualTo(USAGE);
    assertThat(err.toString())
        .contains("--mechanism SCRAM-SHA-256-PLUS needs ldaps:// or --start-tls");
    assertThat(run("failover", ldap(server), ldap(copy), List.of("--password-file=/nowhere")))
        .isEqualTo(FAILED);
    assertThat(err.toString()).contains("there is no file /nowhere");
  }
}
