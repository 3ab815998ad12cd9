package org.nyala.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import java.util.stream.IntStream;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.config.ConfigurationFile;
import org.nyala.core.TestCertificates;
import org.nyala.core.ber.BerWriter;
import org.nyala.management.ServerWatch;
import org.nyala.management.WatchSettings;
import org.nyala.management.bean.ServerMXBean;
import org.nyala.process.LocalServer;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** Tests connections that are encrypted from their beginning, with both engines. */
class EncryptedListenerTest extends TlsServerTestCase {
  private static final String BASE = "dc=example,dc=com";
  private static final int MEMBERS = 60_000;

  @TempDir static Path certificates;
  private static TestCertificates.Pair curve;
  private static TestCertificates.Pair rsa;
  private static Path curvePem;
  private static Path rsaPem;

  @BeforeAll
  static void makeCertificates() throws Exception {
    curve =
        TestCertificates.make(certificates, "ldap.example.com", "-keyalg EC -groupname secp256r1");
    rsa = TestCertificates.make(certificates, "other.example.com", "-keyalg RSA -keysize 2048");
    curvePem = curve.pem(certificates.resolve("curve.pem"));
    rsaPem = rsa.pem(certificates.resolve("rsa.pem"));
  }

  /** Starts a server with the certificate in {@code server.pem}. */
  private void start(String engine, String more) throws Exception {
    start(engine, more, "");
  }

  private void start(String engine, String more, String others) throws Exception {
    Files.copy(curvePem, folder.resolve("server.pem"));
    Path file =
        ServerProcess.configure(
            folder,
            """
            listeners = ["ldap://127.0.0.1:0", "ldaps://127.0.0.1:0"]
            tls { certificate = server.pem, engine = %s, handshakeTimeoutSeconds = 300 %s }
            %s
            """
                .formatted(engine, more, others));
    server = LocalServer.startFrom(file, folder);
  }

  private int port() {
    assertThat(server.listeners().get(0)).startsWith("ldap://");
    assertThat(server.listeners().get(1)).startsWith("ldaps://");
    return URI.create(server.listeners().get(1)).getPort();
  }

  private static SSLContext trusting() throws Exception {
    return TlsClients.trusting(curve, rsa);
  }

  private LDAPConnection asRoot() throws Exception {
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setMaxMessageSize(64 << 20);
    return new LDAPConnection(
        trusting().getSocketFactory(), options, "127.0.0.1", port(), "cn=admin", "admin");
  }

  /** Returns the certificate that a client gets which asks for a host. */
  private X509Certificate presented(String host, String protocol) throws Exception {
    try (SSLSocket socket =
        (SSLSocket) trusting().getSocketFactory().createSocket("127.0.0.1", port())) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setServerNames(List.of(new SNIHostName(host)));
      parameters.setProtocols(new String[] {protocol});
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldServeClients(String engine) throws Exception {
    start(engine, "");
    try (LDAPConnection root = asRoot()) {
      root.add("dn: " + BASE, "objectClass: domain", "dc: example");
      String[] members = IntStream.range(0, MEMBERS).mapToObj(i -> "u" + i).toArray(String[]::new);
      String group = "cn=staff," + BASE;
      root.add(
          group,
          new Attribute("objectClass", "posixGroup"),
          new Attribute("cn", "staff"),
          new Attribute("gidNumber", "1"),
          new Attribute("memberUid", members));
      for (int i = 0; i < 10; i++) {
        assertThat(Set.of(root.getEntry(group).getAttributeValues("memberUid")))
            .isEqualTo(Set.of(members));
      }
    }
    Processes.Result found =
        Processes.ldapClient(
                folder,
                "ldapsearch",
                "-LLL",
                "-x",
                "-o",
                "TLS_CACERT=" + curvePem,
                "-H",
                "ldaps://127.0.0.1:" + port(),
                "-D",
                "cn=admin",
                "-w",
                "admin",
                "-b",
                BASE,
                "-s",
                "base",
                "1.1")
            .shouldSucceed();
    assertThat(found.out()).contains("dn: " + BASE);
    assertThat(metrics().tlsHandshakes().sum()).isEqualTo(2);
    assertThat(metrics().tlsFailures().sum()).isZero();
    shouldBeAtRest();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldChooseACertificateByName(String engine) throws Exception {
    start(engine, ", certificates = [{ certificate = \"" + rsaPem + "\" }]");
    for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
      assertThat(presented("ldap.example.com", protocol)).isEqualTo(curve.certificate());
      assertThat(presented("other.example.com", protocol)).isEqualTo(rsa.certificate());
    }
    shouldBeAtRest();
  }

  @Test
  void shouldNameTheCertificateInTheLog() throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    Handler handler =
        new StreamHandler() {
          @Override
          public void publish(LogRecord line) {
            lines.add(line.getLevel() + " " + new SimpleFormatter().formatMessage(line));
          }
        };
    Logger log = Logger.getLogger("org.nyala.netty.tls.TlsPort");
    log.addHandler(handler);
    try {
      start("jdk", "");
    } finally {
      log.removeHandler(handler);
    }
    String end = curve.certificate().getNotAfter().toInstant().toString();
    assertThat(lines)
        .singleElement()
        .asString()
        .matches("(INFO|WARNING) TLS by the JDK; the certificate CN=[^ ]+ ends on " + end);
    shouldBeAtRest();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldTakeOverOtherCertificatesOnReload(String engine) throws Exception {
    start(engine, "");
    Path file = folder.resolve("server.pem");
    try (LDAPConnection open = asRoot()) {
      assertThat(presented("ldap.example.com", "TLSv1.3")).isEqualTo(curve.certificate());
      assertThat(server.served().control().reload().tookEffect()).isEmpty();
      Files.copy(rsaPem, file, StandardCopyOption.REPLACE_EXISTING);
      ServerMXBean.Reloaded reloaded = server.served().control().reload();
      assertThat(reloaded.needRestart()).isEmpty();
      String end = rsa.certificate().getNotAfter().toInstant().toString();
      assertThat(reloaded.tookEffect())
          .containsExactly(
              "nyala.tls: the certificates are those of the changed files; the first one ends on "
                  + end);
      assertThat(server.served().control().reload().tookEffect()).isEmpty();
      assertThat(presented("ldap.example.com", "TLSv1.3")).isEqualTo(rsa.certificate());
      Files.writeString(file, "no certificate");
      assertThatThrownBy(() -> server.served().control().reload())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("nyala.tls")
          .hasMessageContaining("server.pem");
      assertThat(presented("ldap.example.com", "TLSv1.3")).isEqualTo(rsa.certificate());
      assertThat(open.getRootDSE()).isNotNull();
    }
  }

  private void eventuallyPresents(X509Certificate certificate) throws Exception {
    eventually(
        "it is presented",
        () -> {
          try {
            return presented("ldap.example.com", "TLSv1.3").equals(certificate);
          } catch (SSLHandshakeException e) {
            return false;
          }
        });
  }

  private List<String> alarms(ServerWatch watch) {
    watch.look();
    return server.served().notices().alarms();
  }

  @Test
  void shouldNoticeChangedFiles() throws Exception {
    start("auto", ", checkIntervalSeconds = 1");
    Path file = folder.resolve("server.pem");
    ServerWatch watch = new ServerWatch(server.served(), WatchSettings.DEFAULT);
    Files.copy(rsaPem, file, StandardCopyOption.REPLACE_EXISTING);
    eventuallyPresents(rsa.certificate());
    assertThat(alarms(watch)).isEmpty();
    Files.writeString(file, "no certificate");
    eventually("that is reported", () -> !alarms(watch).isEmpty());
    assertThat(alarms(watch))
        .singleElement()
        .asString()
        .contains("server.pem", "former certificates");
    assertThat(presented("ldap.example.com", "TLSv1.3")).isEqualTo(rsa.certificate());
    TestCertificates.Pair brief =
        TestCertificates.make(
            certificates, "ldap.example.com", "-keyalg EC -groupname secp256r1 -validity 13");
    brief.pem(file);
    eventually(
        "its end is reported",
        () -> alarms(watch).toString().matches(".*the certificate CN=[^ ]+ ends on 20.*"));
    assertThat(alarms(watch)).hasSize(1);
    Files.copy(curvePem, file, StandardCopyOption.REPLACE_EXISTING);
    eventuallyPresents(curve.certificate());
    assertThat(alarms(watch)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"jdk,TLSv1.3", "jdk,TLSv1.2", "boringssl,TLSv1.3", "boringssl,TLSv1.2"})
  void shouldResumeSessions(String engine, String protocol) throws Exception {
    start(engine, "");
    SSLContext context = trusting();
    Set<Long> begun = new HashSet<>();
    for (int i = 0; i < 4; i++) {
      try (SSLSocket socket =
          (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port())) {
        socket.setEnabledProtocols(new String[] {protocol});
        socket.startHandshake();
        // A ticket comes behind the handshake, before the first answer.
        BerWriter search =
            new BerWriter()
                .text("")
                .enumerated(0)
                .enumerated(0)
                .integer(0)
                .integer(0)
                .bool(false)
                .text(0x87, "objectClass")
                .sequence(new BerWriter().text("1.1"));
        socket
            .getOutputStream()
            .write(
                new BerWriter()
                    .sequence(new BerWriter().integer(1).constructed(0x63, search))
                    .toByteArray());
        assertThat(TlsClients.message(socket.getInputStream())).isNotEmpty();
        begun.add(socket.getSession().getCreationTime());
      }
    }
    assertThat(begun).hasSize(1);
    assertThat(metrics().tlsHandshakes().sum()).isEqualTo(4);
    shouldBeAtRest();
  }

  /** Checks that the server ends the connection of a client that sends some bytes. */
  private void shouldEnd(byte[] bytes) throws IOException {
    long failures = metrics().tlsFailures().sum();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      OutputStream out = socket.getOutputStream();
      out.write(bytes);
      out.flush();
      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // The server has ended the connection while bytes were on the way.
    }
    eventually("the failure is counted", () -> metrics().tlsFailures().sum() == failures + 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldEndConnectionsThatAreNotEncrypted(String engine) throws Exception {
    // No timeout ends them.
    start(engine, "", "limits.partialPduTimeoutSeconds = 0");
    BerWriter bind = new BerWriter().integer(3).text("cn=admin").text(0x80, "admin");
    shouldEnd(
        new BerWriter().sequence(new BerWriter().integer(1).constructed(0x60, bind)).toByteArray());
    shouldEnd("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    // A record longer than any may be.
    shouldEnd(new byte[] {22, 3, 1, (byte) 0xff, (byte) 0xff, 1, 0});
    assertThat(metrics().operationsStarted().sum()).isZero();
    assertThat(metrics().internalErrors().sum()).isZero();
    shouldBeAtRest();
  }

  /** A record of a hello without its content, and nothing at all. */
  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldNotWaitForHandshakesForEver(String engine) throws Exception {
    start(engine, ", handshakeTimeoutSeconds = 1");
    shouldEnd(new byte[] {22, 3, 1, 2, 0, 1, 0});
    shouldEnd(new byte[0]);
    assertThat(metrics().operationsStarted().sum()).isZero();
    shouldBeAtRest();
  }

  /** Such clients could not read the notice, and are not waited for. */
  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  @Timeout(20)
  void shouldStopBesideHandshakesThatDoNotEnd(String engine) throws Exception {
    start(engine, "", "limits { partialPduTimeoutSeconds = 0, drainTimeoutSeconds = 300 }");
    try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), port());
        Socket begun = new Socket(InetAddress.getLoopbackAddress(), port())) {
      begun.getOutputStream().write(new byte[] {22, 3, 1, 2, 0, 1, 0});
      eventually("both are here", () -> server.served().wire().connectionCount() == 2);
      server.close();
      assertThat(server.served().wire().connectionCount()).isZero();
      assertThat(silent.isConnected()).isTrue();
    }
  }

  @Test
  void shouldNotStartWithoutACertificate() throws Exception {
    start("auto", "");
    Path file = ServerProcess.configure(folder, "listeners = [\"ldaps://127.0.0.1:0\"]");
    assertThatThrownBy(() -> ConfigurationFile.read(file, folder))
        .hasMessageContaining("nyala.tls.certificate");
  }
}
