package org.nyala.tls;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.cli.Main;
import org.nyala.core.TestCertificates;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.error.ExitCode;
import org.nyala.process.Processes;
import org.nyala.process.ServerProcess;

/** Tests the encrypted JMX port of a server with commands, each in a process of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EncryptedJmxTest {
  private static final byte[] RMI_GREETING = {'J', 'R', 'M', 'I', 0, 2, 'K'};

  private Path folder;
  private TestCertificates.Pair first;
  private TestCertificates.Pair second;
  private ServerProcess server;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    folder = temporary;
    first = pair("first.pem");
    second = pair("second.pem");
    Files.copy(folder.resolve("first.pem"), folder.resolve("server.pem"));
    Files.writeString(folder.resolve("chief"), "geheim\n");
    Files.writeString(folder.resolve("watcher"), "vertraulich\n");
    server =
        ServerProcess.start(
            folder,
            """
            management {
              jmx = "127.0.0.1:0", jmxTls = true
              tls.certificate = "%s"
              jmxAdmin { user = chief, password = "%s" }
              jmxMonitor { user = watcher, password = "%s" }
            }
            """
                .formatted(folder.resolve("server.pem"), hash("geheim"), hash("vertraulich")));
  }

  private TestCertificates.Pair pair(String file) throws Exception {
    TestCertificates.Pair pair =
        TestCertificates.make(folder, "ldap.example.com", "-keyalg EC -groupname secp256r1");
    Path _ = pair.pem(folder.resolve(file));
    return pair;
  }

  private static String hash(String password) {
    byte[] bytes = password.getBytes(UTF_8);
    return new String(
        PasswordHash.create(PasswordScheme.SSHA512, bytes, new SecureRandom()), UTF_8);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private int port() throws IOException {
    return Integer.parseInt(server.jmxUrl().getURLPath().replaceAll(".*:(\\d+)/jmxrmi", "$1"));
  }

  private Processes.Result nyala(String user, String host, String command, String... options)
      throws Exception {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    line.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    line.add(Main.class.getName());
    line.addAll(List.of(command.split(" ", -1)));
    line.add("--jmx=" + host + ":" + port());
    line.addAll(List.of("--user=" + user, "--password-file=" + folder.resolve(user)));
    line.addAll(List.of(options));
    return Processes.run(folder, Map.of(), line);
  }

  private String ca(String file) {
    return "--ca=" + folder.resolve(file);
  }

  private static void shouldFail(Processes.Result result, String reason) {
    assertThat(result.exitCode()).as(result.err()).isEqualTo(ExitCode.FAILED);
    assertThat(result.err()).contains("nyala: cannot connect to the JMX port", reason);
    assertThat(result.err()).doesNotContain("\tat ", "geheim");
  }

  @Test
  void shouldServeCommandsThatTrustTheCertificate() throws Exception {
    assertThat(server.log()).contains("/jmxrmi, encrypted");
    Processes.Result shown =
        nyala("watcher", "127.0.0.1", "dispatch show", ca("first.pem")).shouldSucceed();
    assertThat(shown.out()).contains("strategy    ");
    nyala("chief", "127.0.0.1", "dispatch set striped", ca("first.pem")).shouldSucceed();
    Processes.Result refused =
        nyala("watcher", "127.0.0.1", "dispatch set adaptive", ca("first.pem"));
    assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(refused.err()).contains("management.jmxAdmin").hasLineCount(1);
  }

  @Test
  void shouldServeNobodyWhoDoesNotTrustIt() throws Exception {
    shouldFail(nyala("chief", "127.0.0.1", "dispatch show", ca("second.pem")), ") PKIX path");
    // The certificate names 127.0.0.1.
    shouldFail(nyala("chief", "localhost", "dispatch show", ca("first.pem")), "localhost");
    shouldFail(nyala("chief", "127.0.0.1", "dispatch show", "--no-tls"), "");
    assertThat(server.log()).doesNotContain("\tat ", "geheim");
  }

  @Test
  void shouldNotSpeakRmiInClearText() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
      socket.getOutputStream().write(RMI_GREETING);
      // An alert of TLS, at most.
      assertThat(TlsClients.rest(socket)).hasSizeLessThan(16).doesNotContain(0x4e);
    }
  }

  @Test
  void shouldLetHandshakesWithoutEndGiveWay() throws Exception {
    List<Socket> crowd = new ArrayList<>();
    try {
      for (int i = 0; i < 200; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        crowd.add(socket);
        socket.getOutputStream().write(new byte[] {22, 3, 1, 2, 0, 1, 0, 1, -4});
      }
      nyala("watcher", "127.0.0.1", "dispatch show", ca("first.pem")).shouldSucceed();
    } finally {
      for (Socket socket : crowd) {
        socket.close();
      }
    }
  }

  @Test
  void shouldServeANewCertificate() throws Exception {
    renew("second.pem");
    try {
      nyala("chief", "127.0.0.1", "reload", ca("first.pem")).shouldSucceed();
      assertThat(presented()).isEqualTo(second.certificate());
    } finally {
      renew("first.pem");
      nyala("chief", "127.0.0.1", "reload", ca("second.pem")).shouldSucceed();
    }
  }

  /** Returns the certificate that a client gets which trusts both. */
  private Certificate presented() throws Exception {
    try (SSLSocket socket =
        (SSLSocket)
            TlsClients.trusting(first, second)
                .getSocketFactory()
                .createSocket("127.0.0.1", port())) {
      socket.startHandshake();
      return socket.getSession().getPeerCertificates()[0];
    }
  }

  private void renew(String file) throws IOException {
    Path aside = Files.copy(folder.resolve(file), folder.resolve("aside.pem"));
    Files.move(aside, folder.resolve("server.pem"), StandardCopyOption.REPLACE_EXISTING);
  }
}
