package org.nyala.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Patience;
import org.nyala.core.TestAuthority;
import org.nyala.core.TestAuthority.Content;
import org.nyala.core.TestAuthority.Issued;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/**
 * Tests that clients which occupy the HTTP port, in clear text or encrypted, do not keep a probe
 * from its answer.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpAttackTest {
  private static final String NEIGHBOUR = "127.0.0.1";
  private static final String ATTACKER = "127.0.0.2";
  private static final int CROWD = 1000;
  private static final int SLOTS = 256;
  private static final int GUESSERS = 16;

  /** The first bytes of a request, of a handshake, or none. */
  private static final List<byte[]> STARTS =
      List.of(
          new byte[0], "GET /live".getBytes(US_ASCII), new byte[] {22, 3, 1, 2, 0, 1, 0, 1, -4});

  private RunningServer clear;
  private RunningServer encrypted;
  private SSLContext context;

  @BeforeAll
  void start(@TempDir Path folder, @TempDir Path other) throws Exception {
    Issued issued = TestAuthority.root("CN=Root").issue(Content.server("CN=ldap.example.com"));
    Path certificate = Files.writeString(folder.resolve("server.pem"), issued.pem());
    context = TlsClients.trusting(issued.certificate());
    String account =
        "http = \"127.0.0.1:0\", httpMonitor { user = scraper, password = \"%s\" }"
            .formatted(
                new String(
                    PasswordHash.create(
                        PasswordScheme.ARGON2, "right".getBytes(UTF_8), new SecureRandom()),
                    UTF_8));
    clear = LocalServer.start(folder, "management { " + account + " }");
    encrypted =
        LocalServer.start(
            other,
            "management { %s, httpTls = true, tls.certificate = \"%s\" }"
                .formatted(account, certificate));
  }

  @AfterAll
  void stop() {
    clear.close();
    encrypted.close();
  }

  private HttpProbe from(String address, boolean isEncrypted) {
    RunningServer server = isEncrypted ? encrypted : clear;
    int port = server.httpAddress().orElseThrow().getPort();
    return new HttpProbe(port, address, isEncrypted ? context : null);
  }

  private static void shouldBeServed(HttpProbe probe) throws IOException {
    for (int i = 0; i < 20; i++) {
      assertThat(probe.get("/live").status()).isEqualTo(200);
    }
  }

  private static void close(Iterable<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** Returns true when the server has ended a connection, after an alert of TLS or not. */
  private static boolean isOver(Socket socket) {
    try {
      byte[] _ = socket.getInputStream().readAllBytes();
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldAnswerBesideAThousandConnectionsOfTheSameAddress(boolean isEncrypted)
      throws Exception {
    HttpProbe probe = from(NEIGHBOUR, isEncrypted);
    List<Socket> crowd = new ArrayList<>();
    try {
      for (int i = 0; i < CROWD; i++) {
        Socket socket = probe.open();
        crowd.add(socket);
        socket.getOutputStream().write(STARTS.get(i % STARTS.size()));
      }
      shouldBeServed(probe);
      // They have given way, or have sent no TLS. The last ones end by their deadline, which
      // another
      // test waits for.
      for (Socket socket : crowd.subList(0, CROWD - 2 * SLOTS)) {
        assertThat(isOver(socket)).isTrue();
      }
    } finally {
      close(crowd);
    }
  }

  /** Opens connections as fast as it can, as long as a test lasts. */
  private static void occupy(HttpProbe attacker, AtomicBoolean isOver, LongAdder opened)
      throws IOException {
    Deque<Socket> open = new ArrayDeque<>();
    try {
      while (!isOver.get()) {
        if (open.size() >= CROWD) {
          open.removeFirst().close();
        }
        open.addLast(attacker.open());
        opened.increment();
      }
    } finally {
      close(open);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldAnswerBesideAnAddressThatConnectsAgainAndAgain(boolean isEncrypted) throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    LongAdder opened = new LongAdder();
    HttpProbe attacker = from(ATTACKER, isEncrypted);
    try (var threads = Executors.newCachedThreadPool()) {
      Future<?> attack = threads.submit(() -> occupyQuietly(attacker, isOver, opened));
      try {
        eventually("all slots are taken", () -> opened.sum() > CROWD);
        shouldBeServed(from(NEIGHBOUR, isEncrypted));
      } finally {
        isOver.set(true);
      }
      Patience.get(attack);
    }
  }

  private static void occupyQuietly(HttpProbe attacker, AtomicBoolean isOver, LongAdder opened) {
    try {
      occupy(attacker, isOver, opened);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldEndConnectionsThatSendNothingOrAByteNowAndThen() throws Exception {
    List<Socket> open = new ArrayList<>();
    try (ScheduledExecutorService clock = Executors.newScheduledThreadPool(1)) {
      for (boolean isEncrypted : new boolean[] {false, true}) {
        HttpProbe attacker = from(ATTACKER, isEncrypted);
        for (int i = 0; i < 100; i++) {
          Socket socket = attacker.open();
          open.add(socket);
          byte[] bytes = isEncrypted ? new byte[] {22, 3, 1, 2, 0} : "GET /".getBytes(US_ASCII);
          socket.getOutputStream().write(bytes);
          Future<?> _ =
              clock.scheduleAtFixedRate(() -> drip(socket), 100, 100, TimeUnit.MILLISECONDS);
        }
        for (byte[] start : STARTS) {
          Socket socket = attacker.open();
          open.add(socket);
          socket.getOutputStream().write(start);
        }
      }
      shouldBeServed(from(NEIGHBOUR, false));
      shouldBeServed(from(NEIGHBOUR, true));
      for (Socket socket : open) {
        assertThat(isOver(socket)).isTrue();
      }
      clock.shutdownNow();
    } finally {
      close(open);
    }
  }

  private static void drip(Socket socket) {
    try {
      socket.getOutputStream().write('x');
    } catch (IOException e) {
      // Its next byte is not sent any more, either.
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldAnswerBesideAFloodOfWrongPasswords(boolean isEncrypted) throws Exception {
    HttpProbe attacker = from(ATTACKER, isEncrypted);
    HttpProbe neighbour = from(NEIGHBOUR, isEncrypted);
    Set<Integer> statuses = ConcurrentHashMap.newKeySet();
    AtomicBoolean isOver = new AtomicBoolean();
    CountDownLatch refused = new CountDownLatch(40);
    try (var threads = Executors.newFixedThreadPool(GUESSERS)) {
      List<Future<?>> guesses = new ArrayList<>();
      for (int i = 0; i < GUESSERS; i++) {
        String guess = HttpProbe.basic("scraper:guess" + i);
        guesses.add(
            threads.submit(
                () -> {
                  while (!isOver.get()) {
                    statuses.add(attacker.get("/metrics", guess).status());
                    refused.countDown();
                  }
                  return 0;
                }));
      }
      try {
        Patience.await(refused);
        shouldBeServed(neighbour);
        for (int i = 0; i < 2; i++) {
          HttpProbe.Answer answer = neighbour.get("/metrics", HttpProbe.basic("scraper:right"));
          assertThat(answer.status()).isEqualTo(200);
          assertThat(answer.text()).contains("ldap_server_connections ");
        }
      } finally {
        isOver.set(true);
      }
      for (Future<?> guess : guesses) {
        Object _ = Patience.get(guess);
      }
    }
    assertThat(statuses).contains(401, 429).isSubsetOf(401, 429, 503);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldRefuseHeadsWithoutEnd(boolean isEncrypted) throws Exception {
    HttpProbe probe = from(NEIGHBOUR, isEncrypted);
    assertThat(probe.get("/live", "X: " + "x".repeat(7000)).status()).isEqualTo(200);
    assertThat(probe.get("/live", "X: " + "x".repeat(9000)).status()).isEqualTo(431);
    assertThat(probe.get("/" + "x".repeat(60_000)).status()).isEqualTo(431);
    String[] many = "A: b\n".repeat(4000).split("\n");
    assertThat(probe.get("/live", many).status()).isEqualTo(431);
  }
}
