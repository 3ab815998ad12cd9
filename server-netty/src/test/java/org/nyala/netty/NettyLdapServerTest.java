package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.core.DirectoryServer;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.netty.WireSettings.Listener;
import org.nyala.netty.WireSettings.Transport;
import org.nyala.netty.WireSettings.WaterMarks;

/** Real sockets, real event loops, real strategies. */
final class NettyLdapServerTest {
  static final List<String> STRATEGIES = DispatchStrategies.OFFERED;

  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  private final TestDirectory directory = new TestDirectory();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private DirectoryServer core;
  private NettyLdapServer server;

  private static WireSettings settings(Transport transport, int connections, long timeoutMillis) {
    return new WireSettings(
        List.of(new Listener("127.0.0.1", 0), new Listener("127.0.0.1", 0)),
        transport,
        2,
        1,
        64 * 1024,
        1 << 20,
        connections,
        0,
        timeoutMillis,
        0,
        timeoutMillis,
        10_000,
        new WaterMarks(64 * 1024, 256 * 1024),
        WireSettings.Table.PER_LOOP);
  }

  private void start(WireSettings settings, String strategy) throws IOException {
    core = directory.server(TestDirectory.strategy(strategy));
    opened.add(core);
    server = NettyLdapServer.start(core, settings, System::nanoTime);
    opened.add(server);
  }

  private void start() throws IOException {
    start(settings(Transport.AUTO, 0, 0), "run-to-completion");
  }

  private TestClient connect() throws IOException {
    TestClient client = new TestClient(server.addresses().getFirst());
    opened.add(client);
    return client;
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
    if (core != null) {
      assertThat(core.metrics().connectionsClosed().sum())
          .isEqualTo(core.metrics().connectionsOpened().sum());
      assertThat(core.metrics().internalErrors().sum()).isZero();
      assertThat(core.metrics().operationsCompleted().sum())
          .isEqualTo(core.metrics().operationsStarted().sum());
    }
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "EPOLL,run-to-completion",
    "EPOLL,striped",
    "EPOLL,adaptive",
    "EPOLL,virtual-threads",
    "EPOLL,multi-queue",
    "EPOLL,single-queue",
    "EPOLL,load-conditioned",
    "EPOLL,lightweight",
    "EPOLL,lightweight-conditioned",
    "NIO,lightweight",
    "NIO,run-to-completion",
    "NIO,striped",
    "IO_URING,run-to-completion",
    "IO_URING,striped"
  })
  void shouldServeSmallAndLargeAnswers(Transport transport, String strategy) throws Exception {
    org.junit.jupiter.api.Assumptions.assumeTrue(Transports.missing(transport) == null);
    start(settings(transport, 0, 0), strategy);
    try (TestClient client = connect()) {
      client.send(Pdus.bind(1, "cn=x", "pw"));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(1, 0x61, 0));
      assertThat(client.search(2, 1)).isEqualTo(1);
      assertThat(client.search(3, 20_000)).isEqualTo(20_000);
      client.send(Pdus.message(4, Pdus.element(0x4a, Pdus.utf8("cn=x"))));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(4, 0x6b, 0));
      client.send(Pdus.unbind(5));
      assertThat(client.isAtEnd()).isTrue();
    }
    assertThat(server.transport()).isEqualTo(Transports.choose(transport).label());
    if (transport != Transport.IO_URING) {
      assertThat(core.metrics().polls().sum()).as("polls").isPositive();
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldAnswerPipelinedRequestsWhereverTheyAreSplit(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    byte[] pdus = new byte[0];
    for (int id = 1; id <= 3; id++) {
      pdus = Pdus.concat(pdus, Pdus.search(id, "dc=example", id));
    }
    try (TestClient client = connect()) {
      for (int split = 1; split < pdus.length; split++) {
        client.send(java.util.Arrays.copyOf(pdus, split));
        client.send(java.util.Arrays.copyOfRange(pdus, split, pdus.length));
        int[] entries = new int[4];
        for (int done = 0; done < 3; ) {
          TestClient.Response response = client.receive();
          if (response.tag() == LdapTags.SEARCH_RESULT_DONE) {
            assertThat(entries[response.messageId()]).isEqualTo(response.messageId());
            done++;
          } else {
            entries[response.messageId()]++;
          }
        }
      }
      byte[] many = new byte[0];
      for (int id = 1; id <= 2000; id++) {
        many = Pdus.concat(many, Pdus.search(id, "dc=example", 1));
      }
      byte[] all = many;
      CompletableFuture<Void> sender =
          CompletableFuture.runAsync(
              () -> {
                try {
                  client.send(all);
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      int results = 0;
      while (results < 2000) {
        results += client.receive().tag() == LdapTags.SEARCH_RESULT_DONE ? 1 : 0;
      }
      sender.join();
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldBoundMemoryForSlowReaderAndGoOn(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    int entries = 200_000;
    try (TestClient slow = new TestClient(server.addresses().getFirst(), 8192);
        TestClient healthy = connect()) {
      slow.send(Pdus.search(1, "dc=example", entries));
      await(() -> directory.searches.get() == 1);
      for (int i = 1; i <= 500; i++) {
        assertThat(healthy.search(i, 3)).isEqualTo(3);
      }
      // 100 MB were asked for; what waits for the client is a fraction of that.
      assertThat(io.netty.buffer.PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory())
          .isLessThan(64L << 20);
      assertThat(slow.receiveSearch(1)).isEqualTo(entries);
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldSurviveClientsThatVanishInTheMiddle(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    for (int i = 0; i < 30; i++) {
      TestClient client = connect();
      client.send(Pdus.search(1, "dc=example", 1_000_000));
      if (i % 3 == 0) {
        client.socket.setSoLinger(true, 0);
      } else {
        client.receive();
      }
      client.close();
    }
    try (TestClient healthy = connect()) {
      assertThat(healthy.search(1, 10)).isEqualTo(10);
    }
    await(() -> server.connectionCount() == 0);
    await(
        () ->
            core.metrics().operationsCompleted().sum() == core.metrics().operationsStarted().sum());
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldAnswerOrEndMalformedRequests(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    try (TestClient client = connect()) {
      client.send(Pdus.message(7, Pdus.searchOperation("", 9, 0, Pdus.present("a"))));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(7, 0x65, 2));
      assertThat(core.metrics().malformedRequests().sum()).isEqualTo(1);
      assertThat(client.search(8, 1)).isEqualTo(1);
    }
    byte[][] fatal = {
      {0x16, 3, 1, 0, 5},
      {0x30, (byte) 0x80, 0, 0},
      {0x30, (byte) 0x84, 0x7f, -1, -1, -1, 2, 1, 1},
      {0x30, (byte) 0x83, 1, 0, 0},
      Pdus.message(0, new byte[] {0x42, 0}),
      Pdus.message(1, new byte[] {0x65, 0}),
      Pdus.message(1, new byte[] {0x63, 5, 4}),
      Pdus.message(1, new byte[] {0x4a, 0}, new byte[] {1, 2, 3}),
    };
    for (int i = 0; i < fatal.length; i++) {
      try (TestClient client = connect()) {
        client.send(fatal[i]);
        assertThat(client.receive()).isEqualTo(new TestClient.Response(0, 0x78, 2));
        assertThat(client.isAtEnd()).isTrue();
        assertThat(core.metrics().malformedRequests().sum()).isEqualTo(i + 2);
      }
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldTreatABurstLikeItsRequests(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    byte[] malformed = Pdus.message(3, Pdus.searchOperation("", 9, 0, Pdus.present("a")));
    byte[] burst =
        Pdus.concat(
            Pdus.bind(1, "cn=x", "pw"),
            Pdus.search(2, "dc=example", 5),
            malformed,
            Pdus.search(4, "dc=example", 7));
    for (int i = 0; i < 200; i++) {
      try (TestClient client = connect()) {
        client.send(burst);
        int[] entries = new int[5];
        Set<Integer> ended = new HashSet<>();
        while (ended.size() < 4) {
          TestClient.Response response = client.receive();
          if (response.tag() == LdapTags.SEARCH_RESULT_ENTRY) {
            assertThat(ended).contains(1);
            entries[response.messageId()]++;
          } else {
            assertThat(response.code()).isEqualTo(response.messageId() == 3 ? 2 : 0);
            assertThat(ended.add(response.messageId())).isTrue();
          }
        }
        assertThat(entries).containsExactly(0, 0, 5, 0, 7);
      }
      opened.removeLast();
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldEndWithABurstThatEndsIt(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    for (int i = 0; i < 100; i++) {
      try (TestClient client = connect()) {
        client.send(Pdus.concat(Pdus.search(1, "dc=example", 1_000_000), Pdus.unbind(2)));
        assertThat(client.drain()).isZero();
      }
      opened.removeLast();
      try (TestClient client = connect()) {
        byte[] endless = Pdus.search(1, "dc=example", 1_000_000);
        client.send(Pdus.concat(endless, endless, Pdus.search(2, "dc=example", 1)));
        assertThat(client.drain()).isEqualTo(1);
      }
      opened.removeLast();
    }
    await(() -> server.connectionCount() == 0);
    await(() -> core.strategy().inFlight() == 0);
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldAbandonWithinABurst(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    try (TestClient client = connect()) {
      for (int i = 0; i < 100; i++) {
        int id = 3 * i + 1;
        client.send(
            Pdus.concat(
                Pdus.search(id, "dc=example", 1_000_000),
                Pdus.abandon(id + 1, id),
                Pdus.search(id + 2, "dc=example", 1)));
        TestClient.Response response = client.receive();
        while (response.messageId() != id + 2 || response.code() < 0) {
          assertThat(response.tag()).isEqualTo(LdapTags.SEARCH_RESULT_ENTRY);
          response = client.receive();
        }
      }
    }
    await(() -> core.metrics().operationsAbandoned().sum() == 100);
  }

  @Test
  void shouldLetOthersHaveTheirTurnWhileOneClientSendsMuch() throws Exception {
    start();
    byte[] pdus = new byte[0];
    for (int id = 1; id <= 400; id++) {
      pdus = Pdus.concat(pdus, Pdus.search(id, "dc=example", 1));
    }
    try (TestClient client = connect()) {
      client.send(pdus);
      for (int id = 1; id <= 400; id++) {
        assertThat(client.receiveSearch(id)).isEqualTo(1);
      }
    }
    assertThat(directory.searchesInTurn.get()).isBetween(1, 64);
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldAcceptLargerMessagesAfterBind(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    byte[] large =
        Pdus.message(
            2,
            Pdus.element(
                0x68,
                Pdus.text("cn=a"),
                Pdus.element(
                    0x30,
                    Pdus.element(
                        0x30,
                        Pdus.text("photo"),
                        Pdus.element(0x31, Pdus.element(4, new byte[900_000]))))));
    try (TestClient client = connect()) {
      client.send(Pdus.bind(1, "cn=x", "pw"));
      assertThat(client.receive().code()).isZero();
      assertThat(client.send(large).receive()).isEqualTo(new TestClient.Response(2, 0x69, 0));
      client.send(
          Pdus.message(
              3,
              Pdus.element(
                  LdapTags.BIND_REQUEST,
                  Pdus.number(LdapTags.INTEGER, 3),
                  Pdus.text("cn=x"),
                  Pdus.element(0x85, Pdus.utf8("pw")))));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(3, 0x61, 7));
      client.send(java.util.Arrays.copyOf(large, 100));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(0, 0x78, 2));
    }
    try (TestClient client = connect()) {
      client.send(java.util.Arrays.copyOf(large, 100));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(0, 0x78, 2));
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldServeHealthyClientWhileOthersSendGarbage(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    long seed = Long.getLong("test.seed", System.nanoTime());
    Random random = new Random(seed);
    byte[][] valid = {
      Pdus.search(1, "dc=example", 3),
      Pdus.bind(2, "cn=a", "b"),
      Pdus.message(3, Pdus.element(0x4a, Pdus.utf8("cn=x"))),
      Pdus.message(
          4,
          Pdus.element(
              0x68,
              Pdus.text("cn=a"),
              Pdus.element(0x30, Pdus.attribute("cn", "a"), Pdus.attribute("sn", "b")))),
      Pdus.message(
          5,
          Pdus.element(
              0x6e, Pdus.text("cn=a"), Pdus.element(0x30, Pdus.text("cn"), Pdus.text("v"))),
          Pdus.element(0xa0, Pdus.control("1.2.840.113556.1.4.319", true, new byte[] {0x30}))),
      Pdus.message(6, Pdus.element(0x6c, Pdus.text("cn=a"), Pdus.text("cn=b"), Pdus.bool(true))),
      Pdus.abandon(7, 1),
    };
    try (TestClient healthy = connect()) {
      for (int i = 0; i < 600; i++) {
        try (TestClient hostile = connect()) {
          byte[] bytes = new byte[0];
          for (int j = random.nextInt(4); j >= 0; j--) {
            byte[] pdu = valid[random.nextInt(valid.length)].clone();
            for (int changes = random.nextInt(4); changes > 0; changes--) {
              pdu[random.nextInt(pdu.length)] = (byte) random.nextInt();
            }
            bytes = Pdus.concat(bytes, pdu);
          }
          hostile.send(java.util.Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length)));
          assertThat(healthy.search(i + 1, 2)).as("seed %d", seed).isEqualTo(2);
        }
        opened.removeLast();
      }
    }
    assertThat(core.metrics().internalErrors().sum()).as("seed %d", seed).isZero();
  }

  @Test
  void shouldEndConnectionsThatStopInTheMiddleOfMessage() throws Exception {
    start(settings(Transport.AUTO, 0, 200), "run-to-completion");
    try (TestClient silent = connect();
        TestClient partial = connect()) {
      partial.send(new byte[] {0x30, 20, 2, 1});
      assertThat(partial.isAtEnd()).isTrue();
      assertThat(silent.search(1, 1)).isEqualTo(1);
    }
  }

  @Test
  void shouldEndConnectionsThatAreIdle() throws Exception {
    WireSettings base = WireSettings.on("127.0.0.1", 0);
    start(
        new WireSettings(
            base.listeners(),
            base.transport(),
            1,
            1,
            65536,
            65536,
            0,
            0,
            0,
            100,
            0,
            1000,
            base.waterMarks(),
            base.table()),
        "run-to-completion");
    try (TestClient client = connect()) {
      assertThat(client.search(1, 1)).isEqualTo(1);
      assertThat(client.isAtEnd()).isTrue();
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldEndClientsThatNeverRead(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 300), strategy);
    try (TestClient stuck = new TestClient(server.addresses().getFirst(), 8192)) {
      stuck.send(Pdus.search(1, "dc=example", 1_000_000));
      await(() -> core.metrics().connectionsClosed().sum() == 1);
      assertThat(core.metrics().connectionsOpened().sum()).isEqualTo(1);
    }
  }

  @Test
  void shouldRefuseConnectionsThatAreTooMany() throws Exception {
    start(settings(Transport.AUTO, 2, 0), "run-to-completion");
    try (TestClient first = connect();
        TestClient second = connect()) {
      assertThat(first.search(1, 1)).isEqualTo(1);
      assertThat(second.search(1, 1)).isEqualTo(1);
      try (TestClient third = connect()) {
        assertThat(third.receive()).isEqualTo(new TestClient.Response(0, 0x78, BUSY));
        assertThat(third.isAtEnd()).isTrue();
      }
      second.send(Pdus.unbind(2));
      await(() -> server.connectionCount() == 1);
      try (TestClient next = new TestClient(server.addresses().get(1))) {
        assertThat(next.search(1, 1)).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldLetOperationsEndBeforeItCloses(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    InetSocketAddress address = server.addresses().getFirst();
    try (TestClient busy = connect();
        TestClient idle = connect()) {
      assertThat(idle.search(1, 1)).isEqualTo(1);
      busy.send(Pdus.search(1, "dc=example", 50_000));
      busy.receive();
      CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
      assertThat(busy.receiveSearch(1)).isEqualTo(49_999);
      assertThat(busy.receive()).isEqualTo(new TestClient.Response(0, 0x78, UNAVAILABLE));
      assertThat(idle.receive()).isEqualTo(new TestClient.Response(0, 0x78, UNAVAILABLE));
      assertThat(idle.isAtEnd()).isTrue();
      closing.join();
    }
    assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> new TestClient(address)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void shouldSayWhereItCannotListen() throws Exception {
    start();
    InetSocketAddress taken = server.addresses().getFirst();
    WireSettings same = WireSettings.on("127.0.0.1", taken.getPort());
    assertThat(
            org.assertj.core.api.Assertions.catchThrowable(
                () -> NettyLdapServer.start(core, same, System::nanoTime)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("127.0.0.1:" + taken.getPort());
  }
}
