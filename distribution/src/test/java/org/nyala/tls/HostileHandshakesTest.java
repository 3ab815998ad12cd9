package org.nyala.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.LDAPConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;
import org.nyala.core.TestCertificates;
import org.nyala.process.LocalServer;

/**
 * Tests handshakes that do not come to their end, or should not, beside a client that is served.
 */
class HostileHandshakesTest extends TlsServerTestCase {
  private static final int RECORD_BYTES = 16 << 10;
  private static final byte HANDSHAKE = 22;

  @TempDir static Path certificates;
  private static TestCertificates.Pair pair;
  private static Path pem;

  @BeforeAll
  static void makeCertificate() throws Exception {
    pair =
        TestCertificates.make(certificates, "ldap.example.com", "-keyalg EC -groupname secp256r1");
    pem = pair.pem(certificates.resolve("server.pem"));
  }

  /** Starts a server that waits longer for handshakes than any test lasts. */
  private void start(String engine) throws Exception {
    start(engine, 300);
  }

  private void start(String engine, int timeoutSeconds) throws Exception {
    server =
        LocalServer.start(
            folder,
            """
            listeners = ["ldaps://127.0.0.1:0"]
            tls { certificate = "%s", engine = %s, handshakeTimeoutSeconds = %d }
            """
                .formatted(pem, engine, timeoutSeconds));
  }

  private int port() {
    return LocalServer.port(server);
  }

  private Socket open() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port());
  }

  /** Sends bytes, and reads what comes until the server ends the connection. */
  private static void sendAndRead(Socket socket, byte[] bytes) {
    try (socket) {
      socket.getOutputStream().write(bytes);
      InputStream in = socket.getInputStream();
      while (in.read() >= 0) {
        // An alert, or the answer of a server that still waits.
      }
    } catch (IOException e) {
      // The server has ended the connection before it had read everything.
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldForgetClientsThatLeaveAtAnyByte(String engine) throws Exception {
    start(engine);
    byte[] hello = TlsClients.hello(pair);
    try (LDAPConnection neighbour =
        new LDAPConnection(
            TlsClients.trusting(pair).getSocketFactory(),
            "127.0.0.1",
            port(),
            "cn=admin",
            "admin")) {
      for (int length = 0; length < hello.length; length++) {
        try (Socket socket = open()) {
          socket.getOutputStream().write(hello, 0, length);
        }
        if (length % 16 == 0) {
          assertThat(neighbour.getRootDSE()).isNotNull();
        }
      }
      eventually("they are gone", () -> server.served().wire().connectionCount() == 1);
      assertThat(metrics().tlsHandshakes().sum()).isEqualTo(1);
    }
    shouldBeAtRest();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldEndMutatedHandshakes(String engine) throws Exception {
    start(engine, 2);
    long seed = Seeds.seed();
    Random random = new Random(seed);
    byte[] hello = TlsClients.hello(pair);
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      byte[] mutated = hello.clone();
      for (int j = 1 + random.nextInt(4); j > 0; j--) {
        mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
      }
      Socket socket = open();
      clients.add(Thread.ofVirtual().start(() -> sendAndRead(socket, mutated)));
    }
    for (Thread client : clients) {
      client.join();
    }
    // The server ends those that wait for more, in time.
    shouldBeAtRest();
    assertThat(metrics().tlsHandshakes().sum()).as("test.seed=%s", seed).isZero();
    assertThat(metrics().tlsFailures().sum()).as("test.seed=%s", seed).isBetween(1L, 300L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldEndHandshakesThatAreTooLong(String engine) throws Exception {
    start(engine);
    // A hello that promises a mebibyte, in records as large as they may be.
    byte[] records = new byte[8 * (RECORD_BYTES + 5)];
    for (int i = 0; i < records.length; i += RECORD_BYTES + 5) {
      records[i] = HANDSHAKE;
      records[i + 1] = 3;
      records[i + 2] = 1;
      records[i + 3] = RECORD_BYTES >> 8;
    }
    records[5] = 1;
    records[6] = 0x10;
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Socket socket = open();
      clients.add(Thread.ofVirtual().start(() -> sendAndRead(socket, records)));
    }
    clients.forEach(Patience::join);
    shouldBeAtRest();
    assertThat(metrics().tlsFailures().sum()).isEqualTo(50);
  }

  /** Another handshake within a connection is work for the server, over and over (RFC 5746). */
  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldNotRenegotiate(String engine) throws Exception {
    start(engine);
    Process client =
        new ProcessBuilder("openssl", "s_client", "-tls1_2", "-connect", "127.0.0.1:" + port())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("openssl.log").toFile())
            .start();
    try (OutputStream input = client.getOutputStream()) {
      // A line of its own is a command; the client goes on until the server ends the connection.
      input.write("R\n".getBytes(US_ASCII));
      input.flush();
      assertThat(client.waitFor(60, TimeUnit.SECONDS)).as("has ended").isTrue();
    } finally {
      Process _ = client.destroyForcibly();
    }
    String said = Files.readString(folder.resolve("openssl.log"));
    assertThat(said).contains("verify return:1", "RENEGOTIATING");
    assertThat(said.substring(said.indexOf("RENEGOTIATING"))).doesNotContain("verify return:1");
    assertThat(new ProvenClient(null).isServed(port(), "TLSv1.2")).isTrue();
    assertThat(metrics().tlsHandshakes().sum()).isEqualTo(2);
    shouldBeAtRest();
  }
}
