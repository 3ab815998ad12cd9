package org.nyala.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;
import static org.nyala.netty.tls.TlsEncryption.ENGINE_BYTES;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Patience;
import org.nyala.core.TestCertificates;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.process.LocalServer;

/**
 * Tests that encrypted connections hold memory, and that there are no more than it suffices for.
 */
class EngineMemoryTest extends TlsServerTestCase {
  private static final String START_TLS = "1.3.6.1.4.1.1466.20037";

  /** The encrypted connections in three quarters of a mebibyte. */
  private static final int MOST = (3 << 18) / ENGINE_BYTES;

  private static final int STORM = 300;

  @TempDir static Path certificates;
  private static TestCertificates.Pair pair;
  private static SSLContext context;

  @BeforeAll
  static void makeCertificate() throws Exception {
    pair =
        TestCertificates.make(certificates, "ldap.example.com", "-keyalg EC -groupname secp256r1");
    context = TlsClients.trusting(pair);
  }

  private void start(String engine) throws Exception {
    Path pem = pair.pem(folder.resolve("server.pem"));
    server =
        LocalServer.start(
            folder,
            """
            listeners = ["ldap://127.0.0.1:0", "ldaps://127.0.0.1:0"]
            limits.memory.mebibytes = 1
            tls { certificate = "%s", engine = %s }
            """
                .formatted(pem, engine));
  }

  private MemoryBudget memory() {
    return server.served().directory().memory();
  }

  private int encryptedPort() {
    return URI.create(server.listeners().get(1)).getPort();
  }

  private LDAPConnection encrypted() throws LDAPException {
    return new LDAPConnection(context.getSocketFactory(), "127.0.0.1", encryptedPort());
  }

  private static LDAPResult startTls(LDAPConnection client) {
    try {
      return client.processExtendedOperation(new StartTLSExtendedRequest(context));
    } catch (LDAPException e) {
      return e.toLDAPResult();
    }
  }

  private void shouldHold(int engines) {
    eventually(
        engines + " engines are held", () -> memory().held() == (long) engines * ENGINE_BYTES);
  }

  private String lastEvent() throws IOException {
    List<String> lines = Files.readAllLines(folder.resolve("logs/security.log"));
    return lines.isEmpty() ? "" : lines.getLast();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldEncryptNoMoreConnectionsThanThereIsMemoryFor(String engine) throws Exception {
    start(engine);
    Deque<LDAPConnection> clients = new ArrayDeque<>();
    try (LDAPConnection clear = LocalServer.connect(server)) {
      MemoryAccount others = memory().open("others");
      others.take(memory().bounds().wholeBytes() / 4 * 3);
      assertThatThrownBy(this::encrypted).isInstanceOf(LDAPException.class);
      assertThat(metrics().tlsFailures().sum()).isEqualTo(1);
      assertThat(memory().refused().sum()).isEqualTo(1);
      eventually("it is logged", () -> lastEvent().contains("handshake-failed "));
      assertThat(lastEvent()).contains("from=127.0.0.1").contains("there\\20is\\20no\\20memory");
      LDAPResult refused = startTls(clear);
      assertThat(refused.getResultCode()).isEqualTo(ResultCode.UNAVAILABLE);
      assertThat(refused.getDiagnosticMessage()).contains("no memory");
      assertThat(metrics().tlsFailures().sum()).isEqualTo(2);
      others.giveBack(others.held());
      for (int i = 1; i <= MOST; i++) {
        clients.add(encrypted());
        shouldHold(i);
      }
      // One more takes the place of the oldest of its address.
      clients.add(encrypted());
      shouldHold(MOST);
      LDAPConnection oldest = clients.remove();
      assertThatThrownBy(oldest::getRootDSE).isInstanceOf(LDAPException.class);
      oldest.close();
      assertThat(metrics().displaced().sum()).isEqualTo(1);
      // Whoever is there is served, encrypted or not.
      clear.bind("cn=admin", "admin");
      for (LDAPConnection client : clients) {
        client.bind("cn=admin", "admin");
      }
      shouldHold(MOST);
      clients.remove().close();
      shouldHold(MOST - 1);
      assertThat(startTls(clear).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      shouldHold(MOST);
      assertThat(clear.getRootDSE()).isNotNull();
    } finally {
      clients.forEach(LDAPConnection::close);
    }
    shouldBeAtRest();
  }

  @Test
  void shouldHoldNothingForRequestsThatAreRefused() throws Exception {
    start("auto");
    try (LDAPConnection client = LocalServer.connect(server)) {
      for (int i = 0; i < 2 * MOST; i++) {
        ExtendedResult result =
            client.processExtendedOperation(
                new ExtendedRequest(START_TLS, new ASN1OctetString("x")));
        assertThat(result.getResultCode()).isEqualTo(ResultCode.PROTOCOL_ERROR);
      }
      shouldHold(0);
      assertThat(startTls(client).getResultCode()).isEqualTo(ResultCode.SUCCESS);
      shouldHold(1);
    }
    assertThat(memory().refused().sum()).isZero();
    shouldBeAtRest();
  }

  /** Some find no memory, some are cut in the middle, and some send what is no handshake. */
  @ParameterizedTest
  @ValueSource(strings = {"jdk", "boringssl"})
  void shouldHoldNothingAfterAStorm(String engine) throws Exception {
    start(engine);
    byte[] hello = TlsClients.hello(pair);
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < STORM; i++) {
      boolean isEncrypted = i % 2 == 0;
      int length = i % hello.length;
      Runnable client =
          switch (i % 3) {
            case 0 -> () -> complete(isEncrypted);
            case 1 -> () -> cut(isEncrypted, hello, length);
            default -> () -> cut(isEncrypted, new byte[length], length);
          };
      clients.add(Thread.ofVirtual().start(client));
    }
    clients.forEach(Patience::join);
    shouldBeAtRest();
    try (LDAPConnection client = encrypted()) {
      assertThat(client.getRootDSE()).isNotNull();
      shouldHold(1);
    }
    shouldBeAtRest();
  }

  /** Encrypts a connection, from its beginning or on request, and uses it if there is memory. */
  private void complete(boolean isFromBeginning) {
    try (LDAPConnection client = isFromBeginning ? encrypted() : LocalServer.connect(server)) {
      if (isFromBeginning || startTls(client).getResultCode() == ResultCode.SUCCESS) {
        assertThat(client.getRootDSE()).isNotNull();
      }
    } catch (LDAPException _) {
      // It was refused.
    }
  }

  /** Sends the first bytes of a handshake, or others, and no more. */
  private void cut(boolean isFromBeginning, byte[] bytes, int length) {
    int port = isFromBeginning ? encryptedPort() : LocalServer.port(server);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      if (!isFromBeginning) {
        socket.getOutputStream().write(TlsClients.startTls());
        byte[] _ = TlsClients.message(socket.getInputStream());
      }
      socket.getOutputStream().write(bytes, 0, length);
    } catch (IOException _) {
      // The server has ended it.
    }
  }
}
