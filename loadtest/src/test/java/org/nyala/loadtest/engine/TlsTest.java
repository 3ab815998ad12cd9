package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.util.ssl.KeyStoreKeyManager;
import com.unboundid.util.ssl.SSLUtil;
import com.unboundid.util.ssl.TrustAllTrustManager;
import java.io.File;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.Security;

class TlsTest {
  private static final String PASSWORD = "changeit";
  private static final String KEYTOOL =
      Path.of(System.getProperty("java.home"), "bin", "keytool").toString();

  /** The keys and the certificate that all tests have copies of. */
  @TempDir static Path made;

  @TempDir Path directory;

  private final LoadTester tester = new LoadTester();
  private InMemoryDirectoryServer server;

  @BeforeAll
  static void makeKeys() throws Exception {
    String keys = " -keystore " + made.resolve("keys.p12");
    keytool(
        "-genkeypair -alias server -keyalg EC -dname CN=localhost -ext SAN=dns:localhost"
            + " -validity 2 -storetype PKCS12"
            + keys);
    keytool("-exportcert -rfc -alias server -file " + made.resolve("certificates.pem") + keys);
  }

  @BeforeEach
  void startServer() throws Exception {
    Path keys = Files.copy(made.resolve("keys.p12"), directory.resolve("keys.p12"));
    Files.copy(made.resolve("certificates.pem"), certificates());
    SSLUtil ssl =
        new SSLUtil(
            new KeyStoreKeyManager(keys.toString(), PASSWORD.toCharArray()),
            new TrustAllTrustManager());
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=com");
    config.setSchema(null);
    config.addAdditionalBindCredentials("cn=service", "secret");
    InetAddress loopback = InetAddress.getByName("localhost");
    config.setListenerConfigs(
        InMemoryListenerConfig.createLDAPConfig("plain", loopback, 0, ssl.createSSLSocketFactory()),
        InMemoryListenerConfig.createLDAPSConfig(
            "tls", loopback, 0, ssl.createSSLServerSocketFactory(), null),
        InMemoryListenerConfig.createLDAPConfig(
            "asking-plain", loopback, 0, ssl.createSSLSocketFactory(), true, true),
        InMemoryListenerConfig.createLDAPSConfig(
            "asking-tls", loopback, 0, ssl.createSSLServerSocketFactory(), null, true, true));
    server = new InMemoryDirectoryServer(config);
    server.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    server.add("dn: uid=user.0,dc=example,dc=com", "objectClass: account", "uid: user.0");
    server.startListening();
  }

  private Path certificates() {
    return directory.resolve("certificates.pem");
  }

  /** Writes the certificate and the key of the server for clients; returns the file of the key. */
  private Path exportKey() throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(directory.resolve("keys.p12"))) {
      store.load(in, PASSWORD.toCharArray());
    }
    byte[] key = store.getKey("server", PASSWORD.toCharArray()).getEncoded();
    String text = Base64.getMimeEncoder().encodeToString(key);
    return Files.writeString(
        directory.resolve("client.key"),
        "-----BEGIN PRIVATE KEY-----\n" + text + "\n-----END PRIVATE KEY-----\n");
  }

  private static void keytool(String arguments) throws Exception {
    String[] command =
        (KEYTOOL + " -J-XX:TieredStopAtLevel=1 " + arguments + " -storepass " + PASSWORD)
            .split(" ", -1);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(new File("/dev/null"))
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  @AfterEach
  void stopServer() {
    server.shutDown(true);
  }

  private int search(String... more) {
    String[] arguments = {
      "search",
      "--users=1",
      "--people=dc=example,dc=com",
      "--connections=2",
      "--operations=20",
      "--warmup-seconds=0",
      "--check-every=1",
      "--bind-dn=cn=service",
      "--password=secret"
    };
    String[] all = Arrays.copyOf(arguments, arguments.length + more.length);
    System.arraycopy(more, 0, all, arguments.length, more.length);
    return tester.run(all);
  }

  private String ldaps() {
    return "--url=ldaps://localhost:" + server.getListenPort("tls");
  }

  private String plain() {
    return "--url=ldap://localhost:" + server.getListenPort("plain");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldEncryptFromTheStartAndByStartTls(boolean isLdaps) {
    String ca = "--ca=" + certificates();
    int exit = isLdaps ? search(ldaps(), ca) : search(plain(), ca, "--start-tls");

    assertThat(tester.err()).isEmpty();
    assertThat(exit).isZero();
    int trusting =
        isLdaps ? search(ldaps(), "--trust-all") : search(plain(), "--start-tls", "--trust-all");
    assertThat(trusting).isZero();
  }

  @Test
  void shouldShowACertificate() throws Exception {
    Path key = exportKey();
    Path both =
        Files.writeString(
            directory.resolve("both.pem"),
            Files.readString(certificates()) + Files.readString(key));
    String ldaps = "--url=ldaps://localhost:" + server.getListenPort("asking-tls");
    String plain = "--url=ldap://localhost:" + server.getListenPort("asking-plain");
    String ca = "--ca=" + certificates();
    String certificate = "--certificate=" + certificates();
    assertThat(search(ldaps, ca, certificate, "--key=" + key)).as(tester.err()).isZero();
    assertThat(search(ldaps, ca, "--certificate=" + both)).as(tester.err()).isZero();
    assertThat(search(plain, ca, "--start-tls", certificate, "--key=" + key))
        .as(tester.err())
        .isZero();
    assertThat(search(ldaps, ca)).isEqualTo(ExitCode.FAILED);
    assertThat(search(plain, ca, "--start-tls")).isEqualTo(ExitCode.FAILED);
    assertThat(search(ldaps, ca, "--key=" + key)).isEqualTo(ExitCode.USAGE);
    assertThat(search(plain, certificate, "--key=" + key)).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err())
        .contains("--key: takes --certificate", "--certificate needs ldaps:// or --start-tls");
    assertThat(search(ldaps, ca, certificate)).as("no key in it").isNotZero();
  }

  @Test
  void shouldCompareEncryptedServers() {
    String url = ldaps().replace("--url=", "");
    assertThat(search("--compare", url, url, "--rounds=1", "--ca=" + certificates()))
        .as(tester.err())
        .isZero();
    assertThat(search("--compare", url, url, "--rounds=1")).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void shouldTrustNobodyByDefault() throws Exception {
    assertThat(search(ldaps())).isEqualTo(ExitCode.FAILED);
    assertThat(tester.err()).contains("TLS");
    assertThat(search(plain(), "--start-tls")).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void shouldRejectWhatIsNoCertificate() throws Exception {
    Files.writeString(certificates(), "nothing");
    assertThat(search(ldaps(), "--ca=" + certificates())).isNotZero();
    assertThatThrownBy(() -> Security.tls(Security.Kind.START_TLS, certificates(), false, null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(search(ldaps(), "--start-tls")).isEqualTo(ExitCode.USAGE);
  }
}
