package org.nyala.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.TestCertificates;
import org.nyala.core.ber.BerWriter;
import org.nyala.netty.ConnectionStatus;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Tests listeners for proxies, which say for whom they connect. */
class ProxyProtocolTest {
  private static final String V1 = "PROXY TCP4 203.0.113.7 198.51.100.1 50000 389\r\n";
  private static final String CARRIED = "IP=203.0.113.7:50000 via IP=127.0.0.1:";

  /** Signature, version 2, PROXY or LOCAL, TCP over IPv4, 12 bytes, and the same addresses. */
  private static final String V2 =
      "0d0a0d0a000d0a515549540a" + "21" + "11" + "000c" + "cb007107" + "c6336401" + "c350" + "0185";

  private static final String V2_LOCAL = "0d0a0d0a000d0a515549540a" + "20" + "00" + "0000";

  /** TCP over IPv6, with a field behind the addresses. */
  private static final String V2_IPV6 =
      "0d0a0d0a000d0a515549540a"
          + "21"
          + "21"
          + "0028"
          + "20010db8000000000000000000000007"
          + "20010db8000000000000000000000001"
          + "c350"
          + "0185"
          + "04"
          + "0001"
          + "00";

  /** The bytes of a header in version 2 before the length of the others, which may be anything. */
  private static final int V2_LENGTH_AT = 14;

  private static final int V2_FRAME = 16;

  private static final int WHO_AM_I = 0x77;

  @TempDir Path folder;

  private RunningServer server;

  private void start(String more) throws IOException {
    server =
        LocalServer.start(
            folder,
            "listeners = [\"pldap://127.0.0.1:0\"], proxy.from = [\"127.0.0.0/8\", \"::1\"]\n"
                + more);
  }

  @AfterEach
  void stop() {
    eventually("every connection has ended", () -> server.served().wire().connectionCount() == 0);
    eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    server.close();
  }

  private Socket connect() throws IOException {
    assertThat(server.listeners().getFirst()).startsWith("pldap://127.0.0.1:");
    int port = URI.create(server.listeners().getFirst()).getPort();
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  private static byte[] header(String text) {
    return text.startsWith("0d0a") ? HexFormat.of().parseHex(text) : text.getBytes(US_ASCII);
  }

  private static byte[] with(String header, byte[]... messages) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(header(header));
    for (byte[] message : messages) {
      bytes.writeBytes(message);
    }
    return bytes.toByteArray();
  }

  private static byte[] whoAmI(int id) {
    BerWriter operation =
        new BerWriter()
            .constructed(WHO_AM_I, new BerWriter().text(0x80, "1.3.6.1.4.1.4203.1.11.3"));
    return message(id, operation);
  }

  private static byte[] rootBind(int id) {
    BerWriter bind = new BerWriter().integer(0x02, 3).text(0x04, "cn=admin").text(0x80, "admin");
    return message(id, new BerWriter().constructed(0x60, bind));
  }

  private static byte[] message(int id, BerWriter operation) {
    BerWriter content = new BerWriter().integer(0x02, id).raw(operation.toByteArray());
    return new BerWriter().constructed(0x30, content).toByteArray();
  }

  /** Reads an answer; empty if the connection has ended. */
  private static byte[] answer(InputStream in) throws IOException {
    int tag = in.read();
    int length = tag < 0 ? -1 : in.read();
    return length < 0 ? new byte[0] : in.readNBytes(length);
  }

  private long refused() {
    return server.served().directory().metrics().connectionsRefused().sum();
  }

  /** Checks that the server has ended a connection of which it has not read all bytes. */
  private static void shouldBeEnded(IOException end, String what) {
    assertThat(end).as(what).hasMessageMatching("(?i).*(reset|broken pipe).*");
  }

  private void shouldServe(String header) throws IOException {
    try (Socket client = connect()) {
      client.getOutputStream().write(with(header, whoAmI(1)));
      assertThat(answer(client.getInputStream())).isNotEmpty();
    }
  }

  private String peer() {
    List<ConnectionStatus> open = server.served().wire().connections();
    return open.isEmpty() ? "" : open.getFirst().peer();
  }

  @ParameterizedTest
  @ValueSource(strings = {V1, V2})
  void shouldReadTheHeaderHoweverItIsSplit(String header) throws Exception {
    start("");
    byte[] all = with(header, whoAmI(1), whoAmI(2));
    for (int split = 1; split < all.length; split++) {
      try (Socket client = connect()) {
        client.setTcpNoDelay(true);
        client.getOutputStream().write(all, 0, split);
        client.getOutputStream().flush();
        client.getOutputStream().write(all, split, all.length - split);
        assertThat(answer(client.getInputStream())).as("split %d", split).isNotEmpty();
        assertThat(answer(client.getInputStream())).as("split %d", split).isNotEmpty();
        assertThat(server.served().wire().connections())
            .anyMatch(each -> each.peer().startsWith(CARRIED));
      }
    }
  }

  @Test
  void shouldCarryAddressesOfEveryKind() throws Exception {
    start("");
    for (String[] each :
        new String[][] {
          {V2_LOCAL, "IP=127.0.0.1:"},
          {"PROXY UNKNOWN\r\n", "IP=127.0.0.1:"},
          {"PROXY UNKNOWN a b c d\r\n", "IP=127.0.0.1:"},
          {V2_IPV6, "IP=[2001:db8:0:0:0:0:0:7]:50000 via IP=127.0.0.1:"},
          {V1, CARRIED}
        }) {
      try (Socket client = connect()) {
        client.getOutputStream().write(with(each[0], whoAmI(1)));
        assertThat(answer(client.getInputStream())).isNotEmpty();
        assertThat(peer()).startsWith(each[1]);
      }
      eventually("it has ended", () -> server.served().wire().connectionCount() == 0);
    }
  }

  /** A password has crossed a network to the proxy, even if the proxy is on this machine. */
  @Test
  void shouldNotTakeClientsOfProxiesForLocalOnes() throws Exception {
    start("");
    try (Socket client = connect()) {
      client.getOutputStream().write(with(V1, rootBind(1)));
      assertThat(answer(client.getInputStream())).contains(13);
    }
    eventually("it has ended", () -> server.served().wire().connectionCount() == 0);
    try (Socket client = connect()) {
      client.getOutputStream().write(with(V2_LOCAL, rootBind(1), whoAmI(2)));
      assertThat(answer(client.getInputStream())).isNotEmpty();
      assertThat(new String(answer(client.getInputStream()), UTF_8)).contains("dn:cn=admin");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PROXY TCP4 203.0.113.7 198.51.100.1 50000\r\n",
        "PROXY TCP4 203.0.113.777 198.51.100.1 50000 389\r\n",
        "PROXY TCP4 203.0.113.7 198.51.100.1 65536 389\r\n",
        "PROXY TCP4 a b 1 2\r\n",
        "PROXY\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "0d0a0d0a000d0a515549540a3111000ccb007107c6336401c3500185",
        "0d0a0d0a000d0a515549540a2111ffff"
      })
  void shouldEndConnectionsWithoutAHeader(String header) throws Exception {
    start("");
    long refused = refused();
    try (Socket client = connect()) {
      // More than a header may have, so that one is never complete that says it is longer.
      client.getOutputStream().write(with(header, whoAmI(1), new byte[1024]));
      assertThat(answer(client.getInputStream())).isEmpty();
    } catch (IOException e) {
      // The server may end it while the client writes.
      shouldBeEnded(e, header);
    }
    eventually("it is counted", () -> refused() == refused + 1);
    shouldServe(V1);
    assertThat(refused()).isEqualTo(refused + 1);
  }

  @Test
  void shouldSurviveRandomBytes() throws Exception {
    start("");
    long seed = Seeds.seed();
    Random random = new Random(seed);
    long before = refused();
    int resets = 0;
    for (int i = 0; i < 200; i++) {
      byte[] header = header(i % 2 == 0 ? V1 : V2);
      byte[] bytes = header.clone();
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      String what = "-Dtest.seed=%d %s".formatted(seed, HexFormat.of().formatHex(bytes));
      int unlike = Arrays.mismatch(header, bytes);
      boolean isValid = unlike < 0 || i % 2 == 1 && unlike >= V2_FRAME;
      // Behind a header that ends early, the rest is no message: an end as well, but no refusal.
      boolean mayEndEarly =
          i % 2 == 1
              && !Arrays.equals(header, V2_LENGTH_AT, V2_FRAME, bytes, V2_LENGTH_AT, V2_FRAME);
      try (Socket client = connect()) {
        client.getOutputStream().write(bytes);
        client.getOutputStream().write(whoAmI(1));
        if (!isValid) {
          // Perhaps it waits for more; a request right before the end may stay unanswered.
          client.shutdownOutput();
        }
        byte[] answer = answer(client.getInputStream());
        assertThat(answer.length).as(what).isLessThan(64);
        assertThat(answer.length > 0 || !isValid).as(what).isTrue();
      } catch (IOException e) {
        // Ended while the client writes or reads.
        assertThat(isValid).as(what).isFalse();
        shouldBeEnded(e, what);
        resets += mayEndEarly ? 0 : 1;
      }
    }
    long least = before + resets;
    eventually("refusals are counted, seed " + seed, () -> refused() >= least);
    shouldServe(V1);
    shouldServe(V2);
  }

  @Test
  void shouldNotWaitForHeadersForEver() throws Exception {
    start("limits.partialPduTimeoutSeconds = 1");
    List<Socket> clients = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Socket client = connect();
      client.getOutputStream().write(Arrays.copyOf(header(V1), i));
      clients.add(client);
    }
    for (Socket client : clients) {
      assertThat(answer(client.getInputStream())).isEmpty();
      client.close();
    }
  }

  /** A stop waits for running operations, but not for headers. */
  @Test
  void shouldNotHoldUpAStop() throws Exception {
    start("limits.partialPduTimeoutSeconds = 0, limits.drainTimeoutSeconds = 300");
    try (Socket client = connect()) {
      client.getOutputStream().write(Arrays.copyOf(header(V1), 5));
      eventually("it is there", () -> server.served().wire().connectionCount() == 1);
      server.close();
      try {
        assertThat(answer(client.getInputStream())).isEmpty();
      } catch (SocketException e) {
        // A connection with bytes that the server has not read yet ends by a reset.
        assertThat(e).hasMessageContaining("reset");
      }
    }
  }

  @Test
  void shouldEncryptBehindTheHeader() throws Exception {
    TestCertificates.Pair pair =
        TestCertificates.make(folder, "127.0.0.1", "-keyalg EC -groupname secp256r1");
    start(
        "listeners = [\"pldaps://127.0.0.1:0\"], tls { certificate = \""
            + pair.pkcs12()
            + "\", password = "
            + TestCertificates.PASSWORD
            + " }");
    SSLContext context = TlsClients.trusting(pair);
    for (String header : List.of(V1, V2)) {
      int port = URI.create(server.listeners().getFirst()).getPort();
      Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
      plain.getOutputStream().write(header(header));
      try (Socket client =
          context.getSocketFactory().createSocket(plain, "127.0.0.1", port, true)) {
        client.getOutputStream().write(with("", rootBind(1), whoAmI(2)));
        assertThat(answer(client.getInputStream())).isNotEmpty();
        assertThat(new String(answer(client.getInputStream()), UTF_8)).contains("dn:cn=admin");
        assertThat(peer()).startsWith(CARRIED);
      }
      eventually("it has ended", () -> server.served().wire().connectionCount() == 0);
    }
  }

  @Test
  void shouldLetNobodyElseIn() throws Exception {
    start("proxy.from = [192.0.2.0/24]");
    try (Socket client = connect()) {
      client.getOutputStream().write(with(V1, whoAmI(1)));
      assertThat(answer(client.getInputStream())).isEmpty();
    } catch (IOException _) {
      // Ended while the client writes.
    }
    assertThat(server.served().wire().refusal()).contains("proxy.from");
  }

  /** The limit of an address is that of the client, not that of the proxy. */
  @Test
  void shouldCountClientsByTheirAddresses() throws Exception {
    start("limits.connectionsPerAddress = 2");
    List<Socket> clients = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      for (int each = 0; each < 3; each++) {
        Socket client = connect();
        clients.add(client);
        client.getOutputStream().write(with(V1.replace("203.0.113.7", "203.0.113." + i)));
        client.getOutputStream().write(whoAmI(1));
        byte[] answer = answer(client.getInputStream());
        boolean isRefused = new String(answer, UTF_8).contains("too many connections");
        assertThat(isRefused).as("connection %d of client %d", each, i).isEqualTo(each == 2);
      }
    }
    for (Socket client : clients) {
      client.close();
    }
    eventually("every connection has ended", () -> server.served().wire().connectionCount() == 0);
    try (Socket client = connect()) {
      client.getOutputStream().write(with(V1, whoAmI(1)));
      assertThat(answer(client.getInputStream())).isNotEmpty();
    }
  }
}
