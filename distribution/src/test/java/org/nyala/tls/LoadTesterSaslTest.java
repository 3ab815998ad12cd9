package org.nyala.tls;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.loadtest.cli.Main;
import org.nyala.process.LocalServer;
import picocli.CommandLine;

/** Tests binds of the load tester by SASL, over TLS by both engines and without. */
class LoadTesterSaslTest extends ClientCertificateTestCase {
  private static final String BASE = "dc=example,dc=com";
  private static final String ALICE_DN = "uid=alice," + BASE;
  private static final int FAILED = 1;
  private static final String CONFIGURATION =
      OPTIONAL
          + "\n}\naccess.writers = [\""
          + ALICE_DN
          + "\"]\n"
          + "sasl.map = [{ mechanism = EXTERNAL, match = \"CN=(al.*)\", search ="
          + " \"ldap:///dc=example,dc=com??sub?(uid=$1)\" }, { search = \"ldap:///??sub?(uid=$1)\""
          + " }]\n"
          + "password.scheme = SCRAM-SHA-256\n"
          + "tls {";

  private final StringWriter err = new StringWriter();
  private final StringWriter out = new StringWriter();

  private void fill() throws Exception {
    try (LDAPConnection writer = LocalServer.connectAsRoot(server)) {
      writer.add("dn: " + BASE, "objectClass: domain", "dc: example");
      for (String uid : List.of("alice", "user.0", "user.1", "user.2")) {
        writer.add(
            "dn: uid=" + uid + "," + BASE,
            "objectClass: account",
            "objectClass: simpleSecurityObject",
            "uid: " + uid,
            "userPassword: " + uid.replace("user", "password"));
      }
      // Keys of both digests.
      writer.modify(
          ALICE_DN,
          new Modification(
              ModificationType.REPLACE, "userPassword", keys("SHA-256"), keys("SHA-512")));
    }
  }

  private static byte[] keys(String digest) {
    PasswordScheme scheme = Objects.requireNonNull(PasswordScheme.of("SCRAM-" + digest));
    return PasswordHash.create(scheme, "secret".getBytes(UTF_8), new Random(1));
  }

  /** Runs a job of the load tester, which fails unless the connections may write. */
  private int run(String job, String url, String... more) {
    List<String> words =
        new ArrayList<>(
            List.of(
                job,
                "--url=" + url,
                "--people=" + BASE,
                "--base=" + BASE,
                "--users=3",
                "--connections=2",
                "--operations=4",
                "--warmup-seconds=0",
                "--writes",
                "--allow-disturbed"));
    words.addAll(List.of(more));
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(words.toArray(String[]::new));
  }

  private String ldaps() {
    return "ldaps://127.0.0.1:" + port();
  }

  private String ldap() {
    return "ldap://127.0.0.1:" + LocalServer.port(server);
  }

  private String[] alice(String mechanism, String password, String... more) throws IOException {
    Path file = Files.writeString(folder.resolve("password"), password + "\n");
    List<String> options =
        new ArrayList<>(
            List.of("--mechanism=" + mechanism, "--user=alice", "--password-file=" + file));
    options.addAll(List.of(more));
    return options.toArray(String[]::new);
  }

  private void shouldWork(int exit) {
    assertThat(exit).as("%s%s", err, out).isZero();
  }

  private void shouldFail(int exit, String reason) {
    assertThat(exit).as("%s", out).isEqualTo(FAILED);
    assertThat(err.toString()).contains(reason).doesNotContain("secret", "\tat ");
    err.getBuffer().setLength(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldBindTheServiceIdentityOverTls(String engine) throws Exception {
    start(engine, CONFIGURATION);
    fill();
    String ca = "--ca=" + folder.resolve("ca.pem");
    Path own = Files.writeString(folder.resolve("alice.pem"), alice.pem());
    String trust = "--trust-all";
    shouldWork(run("modify", ldaps(), "--mechanism=EXTERNAL", "--certificate=" + own, trust));
    for (String mechanism :
        List.of(
            "PLAIN",
            "SCRAM-SHA-256",
            "SCRAM-SHA-256-PLUS",
            "SCRAM-SHA-512",
            "SCRAM-SHA-512-PLUS")) {
      shouldWork(run("modify", ldaps(), alice(mechanism, "secret", trust)));
    }
    for (String mechanism : List.of("PLAIN", "SCRAM-SHA-256-PLUS")) {
      shouldWork(run("modify", ldap(), alice(mechanism, "secret", trust, "--start-tls")));
      shouldFail(
          run("modify", ldaps(), alice(mechanism, "Secret", trust)),
          "bind as the service identity: the server answered invalidCredentials (49)");
    }
    shouldWork(
        run(
            "modify",
            ldaps(),
            alice("SCRAM-SHA-256", "secret", trust, "--authzid=dn:" + ALICE_DN)));
    shouldFail(
        run("modify", ldaps(), alice("SCRAM-SHA-256", "secret", trust, "--authzid=dn:cn=admin")),
        "the server answered insufficientAccessRights (50)");
    // The certificate does not name the address.
    shouldFail(run("modify", ldaps(), alice("SCRAM-SHA-256-PLUS", "secret", ca)), "TLS");
    shouldBeAtRest();
  }

  @Test
  void shouldBindWithoutTls() throws Exception {
    start("auto", CONFIGURATION);
    fill();
    shouldWork(run("modify", ldap(), alice("SCRAM-SHA-512", "secret")));
    shouldWork(run("modify", ldap(), alice("PLAIN", "secret", "--allow-clear-text")));
    shouldWork(run("bind", ldap(), "--people-mechanism=SCRAM-SHA-256"));
    shouldWork(run("bind", ldap(), "--people-mechanism=SCRAM-SHA-256", "--people-user=dn:%d"));
    shouldWork(run("bind", ldap(), "--people-mechanism=PLAIN", "--allow-clear-text"));
    String[] mix =
        alice(
            "SCRAM-SHA-256", "secret", "--mix=bind=1,search=1", "--people-mechanism=SCRAM-SHA-256");
    shouldWork(run("mixed", ldap(), mix));
    String[] both = alice("SCRAM-SHA-256", "secret", "--compare", ldap(), ldap(), "--rounds=1");
    assertThat(compare(both)).as("%s%s", err, out).isZero();
    shouldFail(
        run("bind", ldap(), "--people-mechanism=SCRAM-SHA-512"),
        " by SCRAM: the server answered invalidCredentials (49)");
    shouldBeAtRest();
  }

  private int compare(String... options) {
    List<String> words =
        new ArrayList<>(
            List.of("modify", "--people=" + BASE, "--users=3", "--operations=4", "--quiet"));
    words.addAll(List.of("--warmup-seconds=0", "--connections=2", "--allow-disturbed"));
    words.add("--writes");
    words.addAll(List.of(options));
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
    return line.execute(words.toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldBindPeopleOverTls(String engine) throws Exception {
    start(engine, CONFIGURATION);
    fill();
    for (String mechanism : List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS")) {
      shouldWork(run("bind", ldaps(), "--trust-all", "--people-mechanism=" + mechanism));
    }
    shouldFail(
        run("bind", ldaps(), "--trust-all", "--people-mechanism=SCRAM-SHA-512-PLUS"),
        "by SCRAM: the server answered invalidCredentials (49)");
    shouldBeAtRest();
  }

  /** Somebody with another certificate passes everything on, and the load tester trusts anybody. */
  @Test
  void shouldNotBindThroughSomebodyInTheMiddle() throws Exception {
    start("auto", CONFIGURATION);
    fill();
    try (SSLServerSocket middle = listen(root.issue(Content.server("CN=middle")))) {
      Thread _ = Thread.ofVirtual().start(() -> passOn(middle));
      String url = "ldaps://127.0.0.1:" + middle.getLocalPort();
      shouldWork(run("modify", url, alice("SCRAM-SHA-256", "secret", "--trust-all")));
      shouldFail(
          run("modify", url, alice("SCRAM-SHA-256-PLUS", "secret", "--trust-all")),
          "bind as the service identity: the server answered invalidCredentials (49)");
      shouldFail(
          run("bind", url, "--people-mechanism=SCRAM-SHA-256-PLUS", "--trust-all"),
          "by SCRAM: the server answered invalidCredentials (49)");
    }
    shouldBeAtRest();
  }

  private static SSLServerSocket listen(Issued identity) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry(
        "own",
        identity.keys().getPrivate(),
        new char[0],
        identity.chain().toArray(X509Certificate[]::new));
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return (SSLServerSocket)
        context
            .getServerSocketFactory()
            .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  private void passOn(SSLServerSocket middle) {
    try {
      while (true) {
        Socket client = middle.accept();
        Socket beyond =
            TlsClients.trusting(served).getSocketFactory().createSocket("127.0.0.1", port());
        Thread _ = Thread.ofVirtual().start(() -> pump(client, beyond));
        Thread _ = Thread.ofVirtual().start(() -> pump(beyond, client));
      }
    } catch (Exception e) {
      // The test is over.
    }
  }

  /** Passes bytes on until one end is closed, and closes the other one. */
  private static void pump(Socket from, Socket to) {
    try (from;
        to) {
      long _ = from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // One of them has ended.
    }
  }
}
