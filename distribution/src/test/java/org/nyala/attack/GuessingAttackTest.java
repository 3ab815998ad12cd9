package org.nyala.attack;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SCRAMSHA256BindRequest;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.Phase;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/**
 * Guesses passwords over sockets, from addresses that a proxy names, while their owners bind. Each
 * test has accounts and addresses of its own.
 */
class GuessingAttackTest {
  private static final String BASE = "dc=example,dc=com";
  private static final String SECRET = "secret";
  private static final int BUSY = 51;
  private static final int INVALID_CREDENTIALS = 49;

  /** At least as many as a machine has processors; the same in the server. */
  private static final int NAME = Math.max(4, Runtime.getRuntime().availableProcessors());

  private static final int SOURCE = 4 * NAME;

  @TempDir static Path folder;

  private static RunningServer server;
  private static int plainPort;
  private static int proxiedPort;

  @BeforeAll
  static void serve() throws Exception {
    server =
        LocalServer.start(
            folder,
            """
            listeners = ["ldap://127.0.0.1:0", "pldap://127.0.0.1:0"], proxy.from = ["127.0.0.1"]
            security.minimumStrength.simpleBind = 0
            guessing { failuresPerSource = %d, failuresPerName = %d, failuresPerKnownSource = %d
              refillSeconds = 86400 }
            """
                .formatted(SOURCE, NAME, NAME));
    for (String url : server.listeners()) {
      int port = URI.create(url).getPort();
      plainPort = url.startsWith("ldap:") ? port : plainPort;
      proxiedPort = url.startsWith("pldap:") ? port : proxiedPort;
    }
    try (LDAPConnection root = root()) {
      root.add("dn: " + BASE, "objectClass: domain", "dc: example");
      for (String uid : List.of("ann", "ben", "cat", "dan", "eve", "fay", "gil")) {
        // Of the threads for hashes, and fast all the same.
        String stored = uid.equals("fay") ? keys() : "{CRYPT}$1$saltsalt$9xy1btjgzLYfb7hivXtC//";
        root.add(
            "dn: " + name(uid),
            "objectClass: account",
            "objectClass: simpleSecurityObject",
            "uid: " + uid,
            "userPassword: " + stored);
      }
    }
  }

  private static String keys() {
    byte[] secret = SECRET.getBytes(UTF_8);
    return new String(
        PasswordHash.create(PasswordScheme.SCRAM_SHA256, secret, new Random(1)), US_ASCII);
  }

  @AfterAll
  static void stop() {
    eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    server.close();
  }

  private static LDAPConnection root() throws LDAPException {
    return new LDAPConnection("127.0.0.1", plainPort, "cn=admin", "admin");
  }

  private static String name(String uid) {
    return "uid=" + uid + ',' + BASE;
  }

  /** Returns an address of a network with as many as there are tests. */
  private static String address(int network, int i) {
    return "10." + network + '.' + i / 250 + '.' + (1 + i % 250);
  }

  private static byte[] bind(String name, String password) {
    BerWriter bind = new BerWriter().integer(3).text(name).text(0x80, password);
    return new BerWriter()
        .sequence(new BerWriter().integer(1).constructed(0x60, bind))
        .toByteArray();
  }

  /** Opens a connection on behalf of a client. */
  private static Socket connect(String address) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxiedPort);
    boolean isIpv6 = address.indexOf(':') >= 0;
    String header =
        isIpv6
            ? "PROXY TCP6 " + address + " 2001:db8::1 50000 389\r\n"
            : "PROXY TCP4 " + address + " 198.51.100.1 50000 389\r\n";
    socket.getOutputStream().write(header.getBytes(US_ASCII));
    return socket;
  }

  /** Returns the result code of a bind response of fewer than 128 bytes. */
  private static int answer(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] message = new byte[2];
    in.readFully(message);
    byte[] content = new byte[message[1]];
    in.readFully(content);
    // A message id of three bytes, tag and length of the response, tag and length of the code.
    assertThat(content[3]).isEqualTo((byte) 0x61);
    return content[7];
  }

  private static int guess(String address, String name, String password) throws IOException {
    try (Socket socket = connect(address)) {
      OutputStream out = socket.getOutputStream();
      out.write(bind(name, password));
      return answer(socket);
    }
  }

  /** Returns the number of binds that have hashed a password. */
  private static long hashed() {
    eventually(
        "nothing is under way",
        () -> server.served().directory().metrics().operationsActive() == 0);
    return server
        .served()
        .directory()
        .metrics()
        .operations()
        .phase(OperationType.BIND, Phase.HASH)
        .count();
  }

  private static long refused() {
    return server.served().directory().metrics().passwordsRefused().sum();
  }

  @Test
  void shouldStopOneSourceAtOneName() throws Exception {
    long hashed = hashed();
    long refused = refused();
    for (int i = 0; i < NAME; i++) {
      assertThat(guess("203.0.113.1", name("ann"), "guess" + i)).isEqualTo(INVALID_CREDENTIALS);
    }
    for (int i = 0; i < 20; i++) {
      assertThat(guess("203.0.113.1", name("ann"), SECRET)).isEqualTo(BUSY);
    }
    assertThat(hashed()).isEqualTo(hashed + NAME);
    assertThat(refused() - refused).isEqualTo(20);
    // Others are not disturbed, nor is that source with other names.
    assertThat(guess("203.0.113.1", name("gil"), SECRET)).isZero();
  }

  @Test
  void shouldStopOneSourceAtManyNames() throws Exception {
    List<Integer> codes = new ArrayList<>();
    for (int i = 0; i < SOURCE + 10; i++) {
      codes.add(guess("203.0.113.2", name("spray" + i), "Winter2026"));
    }
    assertThat(codes.subList(0, SOURCE)).containsOnly(INVALID_CREDENTIALS);
    assertThat(codes.subList(SOURCE, codes.size())).containsOnly(BUSY);
    assertThat(guess("203.0.113.2", name("gil"), SECRET)).isEqualTo(BUSY);
  }

  @Test
  void shouldStopManySourcesAtOneNameButNotItsOwner() throws Exception {
    assertThat(guess("192.0.2.1", name("ben"), SECRET)).isZero();
    List<Integer> codes = new ArrayList<>();
    for (int i = 0; i < 3 * NAME; i++) {
      codes.add(guess(address(0, i), name("ben"), "guess" + i));
      assertThat(guess("192.0.2.1", name("ben"), SECRET)).isZero();
    }
    assertThat(codes.subList(0, NAME)).containsOnly(INVALID_CREDENTIALS);
    assertThat(codes.subList(NAME, codes.size())).containsOnly(BUSY);
    assertThat(guess("10.1.0.1", name("ben"), SECRET)).isEqualTo(BUSY);
    assertThat(guess("192.0.2.1", name("ben"), "mistyped")).isEqualTo(INVALID_CREDENTIALS);
  }

  @Test
  void shouldTakeANetworkOfIpv6ForOneSource() throws Exception {
    List<Integer> codes = new ArrayList<>();
    for (int i = 0; i < SOURCE + 3; i++) {
      codes.add(guess("2001:db8:7::" + Integer.toHexString(i + 1), name("v6" + i), "guess"));
    }
    assertThat(codes.subList(0, SOURCE)).containsOnly(INVALID_CREDENTIALS);
    assertThat(codes.subList(SOURCE, codes.size())).containsOnly(BUSY);
    assertThat(guess("2001:db8:8::1", name("gil"), SECRET)).isZero();
  }

  /** All of them wait for hash threads when the first is answered. */
  @Test
  void shouldStopGuessesThatComeAtOnce() throws Exception {
    long hashed = hashed();
    List<Socket> guesses = new ArrayList<>();
    for (int i = 0; i < 10 * NAME; i++) {
      guesses.add(connect(address(2, i)));
    }
    for (Socket each : guesses) {
      each.getOutputStream().write(bind(name("cat"), "guess"));
    }
    List<Integer> codes = new ArrayList<>();
    for (Socket each : guesses) {
      codes.add(answer(each));
      each.close();
    }
    assertThat(Collections.frequency(codes, INVALID_CREDENTIALS)).isEqualTo(NAME);
    assertThat(Collections.frequency(codes, BUSY)).isEqualTo(9 * NAME);
    assertThat(hashed()).isBetween(hashed + NAME, hashed + 10L * NAME);
    assertThat(guess("10.3.0.1", name("cat"), SECRET)).isEqualTo(BUSY);
  }

  @Test
  void shouldAnswerTheSameForNamesThatDoNotExist() throws Exception {
    for (int i = 0; i < NAME; i++) {
      assertThat(guess(address(4, i), name("nobody"), "guess")).isEqualTo(INVALID_CREDENTIALS);
    }
    assertThat(guess("10.4.1.1", "UID=NoBody , " + BASE, "guess")).isEqualTo(BUSY);
  }

  private static ResultCode code(LdapAttempt attempt) throws Exception {
    try (LDAPConnection client = new LDAPConnection("127.0.0.1", plainPort)) {
      attempt.on(client);
      return ResultCode.SUCCESS;
    } catch (LDAPException e) {
      return e.getResultCode();
    }
  }

  /** An attempt over a connection from this machine. */
  @FunctionalInterface
  private interface LdapAttempt {
    void on(LDAPConnection client) throws LDAPException;
  }

  @Test
  void shouldCountMechanismsAlike() throws Exception {
    for (int i = 0; i < NAME; i++) {
      LdapAttempt guess =
          i % 2 == 0
              ? client -> client.bind(new SCRAMSHA256BindRequest("fay", "guess"))
              : client -> client.bind(new PLAINBindRequest("u:fay", "guess"));
      assertThat(code(guess)).isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
    assertThat(code(client -> client.bind(new SCRAMSHA256BindRequest("fay", SECRET))))
        .isEqualTo(ResultCode.BUSY);
    assertThat(code(client -> client.bind(new PLAINBindRequest("u:fay", SECRET))))
        .isEqualTo(ResultCode.BUSY);
    assertThat(code(client -> client.bind(name("fay"), SECRET))).isEqualTo(ResultCode.BUSY);
  }

  private static ExtendedResult change(LDAPConnection client, String old) throws LDAPException {
    return client.processExtendedOperation(new PasswordModifyExtendedRequest(null, old, "mine"));
  }

  @Test
  void shouldCountOldPasswordsOfChanges() throws Exception {
    LdapAttempt change =
        client -> {
          client.bind(name("eve"), SECRET);
          for (int i = 0; i < NAME; i++) {
            assertThat(change(client, "guess").getResultCode())
                .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
          }
          change(client, SECRET);
        };
    assertThat(code(change)).isEqualTo(ResultCode.BUSY);
    assertThat(code(client -> client.bind(name("eve"), SECRET))).isEqualTo(ResultCode.BUSY);
  }

  /** The last half of an exchange is what is counted: many can be opened before. */
  @Test
  void shouldNotLetExchangesBeOpenedInAdvance() throws Exception {
    assertThat(code(client -> client.bind(new SCRAMSHA256BindRequest("dan", "guess"))))
        .isEqualTo(ResultCode.INVALID_CREDENTIALS);
    for (int i = 1; i < NAME; i++) {
      assertThat(code(client -> client.bind(name("dan"), "guess")))
          .isEqualTo(ResultCode.INVALID_CREDENTIALS);
    }
    assertThat(code(client -> client.bind(new SCRAMSHA256BindRequest("dan", "guess"))))
        .isEqualTo(ResultCode.BUSY);
  }
}
