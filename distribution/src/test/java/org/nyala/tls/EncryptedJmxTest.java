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
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Patience;
import org.nyala.core.TestAuthority;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.error.ExitCode;
import org.nyala.process.LocalCommands;
import org.nyala.process.Processes;
import org.nyala.process.ProgramJvm;
import org.nyala.process.ServerProcess;

/** Tests the encrypted JMX port of a server with commands, each in a process of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EncryptedJmxTest {
  private static final byte[] RMI_GREETING = {'J', 'R', 'M', 'I', 0, 2, 'K'};

  private Path folder;
  private X509Certificate first;
  private X509Certificate second;
  private ServerProcess server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    folder = temporary;
    first = issue("first.pem");
    second = issue("second.pem");
    X509Certificate _ = issue("other.pem");
    Files.writeString(
        folder.resolve("both.pem"),
        Files.readString(folder.resolve("first.pem"))
            + Files.readString(folder.resolve("second.pem")));
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

  private X509Certificate issue(String file) throws Exception {
    Issued issued = TestAuthority.root("CN=Root").issue(Content.server("CN=ldap.example.com"));
    Files.writeString(folder.resolve(file), issued.pem());
    return issued.certificate();
  }

  private static String hash(String password) {
    byte[] bytes = password.getBytes(UTF_8);
    return new String(
        PasswordHash.create(PasswordScheme.SSHA512, bytes, new SecureRandom()), UTF_8);
  }

  @AfterAll
  void stop() {
    threads.close();
    server.close();
  }

  private int port() throws IOException {
    return Integer.parseInt(server.jmxUrl().getURLPath().replaceAll(".*:(\\d+)/jmxrmi", "$1"));
  }

  private Processes.Result nyala(String user, String host, String command, String... options)
      throws Exception {
    List<String> line = new ArrayList<>(List.of(command.split(" ", -1)));
    line.add("--jmx=" + host + ":" + port());
    line.addAll(List.of("--user=" + user, "--password-file=" + folder.resolve(user)));
    line.addAll(List.of(options));
    return Processes.run(folder, Map.of(), ProgramJvm.command(List.of(), line));
  }

  /** Starts a command, whose process runs beside others. */
  private Future<Processes.Result> start(
      String user, String host, String command, String... options) {
    return threads.submit(() -> nyala(user, host, command, options));
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
    Future<Processes.Result> set =
        start("chief", "127.0.0.1", "dispatch set striped", ca("both.pem"));
    Processes.Result refused =
        nyala("watcher", "127.0.0.1", "dispatch set adaptive", ca("both.pem"));
    Processes.Result _ = Patience.get(set).shouldSucceed();
    assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(refused.err()).contains("management.jmxAdmin").hasLineCount(1);
  }

  /** The recorder of the JVM is out of reach for all users of the port, and stays so. */
  @Test
  void shouldExplainMeasureAndRecordFromAfar() throws Exception {
    Path file = folder.resolve("afar.jfr");
    Future<Processes.Result> contention =
        start("chief", "127.0.0.1", "contention --seconds 1 --json", ca("both.pem"));
    Future<Processes.Result> record =
        start("chief", "127.0.0.1", "record --seconds 1 --output " + file, ca("both.pem"));
    Processes.Result explained =
        nyala("chief", "127.0.0.1", "explain (objectClass=*)", ca("both.pem")).shouldSucceed();
    assertThat(explained.out()).contains("entries   0 read");
    assertThat(Patience.get(contention).shouldSucceed().out())
        .contains("\"complete\":true", "\"strategies\":[");
    Processes.Result recorded = Patience.get(record).shouldSucceed();
    assertThat(recorded.out()).contains("recorded 1 s");
    assertThat(file).isNotEmptyFile();
    Processes.Result refused = nyala("watcher", "127.0.0.1", "record --seconds 1", ca("both.pem"));
    assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILED);
    assertThat(refused.err()).contains("management.jmxAdmin").hasLineCount(1);
  }

  @Test
  void shouldServeNobodyWhoDoesNotTrustIt() throws Exception {
    Future<Processes.Result> other = start("chief", "127.0.0.1", "dispatch show", ca("other.pem"));
    // The certificate names 127.0.0.1.
    Future<Processes.Result> localhost =
        start("chief", "localhost", "dispatch show", ca("both.pem"));
    shouldFail(nyala("chief", "127.0.0.1", "dispatch show", "--no-tls"), "");
    shouldFail(Patience.get(other), ") PKIX path");
    assertThat(Patience.get(other).err()).doesNotContain("--no-tls");
    shouldFail(Patience.get(localhost), "localhost");
    assertThat(server.log()).doesNotContain("\tat ", "geheim");
  }

  @Test
  void shouldSendNoPasswordInClearTextToOtherMachines() {
    LocalCommands nyala = new LocalCommands();
    for (String host :
        List.of("ldap.example.com", "192.0.2.1", "[2001:db8::1]", "127.0.0.1.nip.io")) {
      int exit =
          nyala.run(
              "dispatch",
              "show",
              "--jmx=" + host + ":1",
              "--no-tls",
              "--user=chief",
              "--password-file=" + folder.resolve("chief"));
      assertThat(exit).as(nyala.err()).isEqualTo(ExitCode.USAGE);
      assertThat(nyala.err()).contains("in clear text", "management.jmxTls", "127.0.0.1");
    }
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
      Processes.Result shown =
          nyala("watcher", "127.0.0.1", "dispatch show", ca("both.pem")).shouldSucceed();
      assertThat(shown.out()).contains("strategy    ");
    } finally {
      for (Socket socket : crowd) {
        socket.close();
      }
    }
  }

  @Test
  void shouldServeANewCertificate() throws Exception {
    renew("second.pem");
    // The other tests trust both.
    nyala("chief", "127.0.0.1", "reload", ca("both.pem")).shouldSucceed();
    assertThat(presented()).isEqualTo(second);
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
