package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.netty.WireSettings.Table;
import org.nyala.netty.WireSettings.WaterMarks;
import org.nyala.netty.tls.TlsSettings;

/** All uses of connection tables, with each kind of table: real sockets, several event loops. */
final class ConnectionTablesOnTheWireTest extends NettyLdapServerTestCase {
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  private void start(String table, String strategy, int perAddress, long idleMillis)
      throws Exception {
    WireSettings base = WireSettings.on("127.0.0.1", 0);
    start(
        new WireSettings(
            base.listeners(),
            base.transport(),
            new WireSettings.Loops(3, 1),
            base.pduLimits(),
            new WireSettings.Connections(0, perAddress),
            new WireSettings.Timeouts(0, idleMillis, idleMillis, 60_000),
            new WaterMarks(64 * 1024, 256 * 1024),
            Table.parse(table),
            WireSettings.Rates.DEFAULT,
            WireSettings.Codec.DIRECT,
            TlsSettings.NONE),
        strategy);
    assertThat(server.connectionTable()).isEqualTo(table);
  }

  @ParameterizedTest
  @CsvSource({
    "per-loop,run-to-completion",
    "global-lock,run-to-completion",
    "global-lock,striped",
    "sharded(2),run-to-completion",
    "sharded(5),striped",
    "sharded(5),adaptive"
  })
  void shouldAnswerEverybody(String table, String strategy) throws Exception {
    start(table, strategy, 0, 0);
    List<TestClient> clients = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      clients.add(connect());
    }
    for (int round = 1; round <= 5; round++) {
      for (TestClient client : clients) {
        client.send(Pdus.search(round, "dc=example", 1 + round * 300));
      }
      for (TestClient client : clients) {
        assertThat(client.receiveSearch(round)).isEqualTo(1 + round * 300);
      }
    }
    clients.getFirst().send(Pdus.unbind(9));
    eventually("one is gone", () -> server.connectionCount() == 19);
    assertThat(clients.getLast().search(9, 2)).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"per-loop", "global-lock", "sharded(4)"})
  void shouldOpenAndCloseThousandsWhileItSweeps(String table) throws Exception {
    // Sweeps every 15 ms, and ends connections that are silent for 60.
    start(table, "striped", 0, 60);
    InetSocketAddress address = server.addresses().getFirst();
    AtomicInteger answered = new AtomicInteger();
    List<CompletableFuture<Void>> visitors = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      visitors.add(
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 500; i++) {
                  answered.addAndGet(visit(address, i));
                }
              },
              work -> Thread.ofPlatform().start(work)));
    }
    for (CompletableFuture<Void> visitor : visitors) {
      visitor.join();
    }
    assertThat(answered).hasPositiveValue();
    // Clients that left at once may not have been accepted yet.
    eventually("all have come", () -> core.metrics().connectionsOpened().sum() == 2_000);
    eventually("all have gone", () -> server.connectionCount() == 0);
  }

  /**
   * Connects and sends a request, or is silent; then waits to be disconnected, leaves, or leaves at
   * once.
   */
  private static int visit(InetSocketAddress address, int kind) {
    try (TestClient client = new TestClient(address)) {
      if (kind % 4 == 0) {
        return 0;
      }
      client.send(Pdus.search(1, "dc=example", kind % 4 == 1 ? 5_000 : 1));
      if (kind % 4 == 1) {
        return 0;
      }
      int entries = client.receiveSearch(1);
      if (kind % 100 == 3) {
        assertThat(client.isAtEnd()).isTrue();
      }
      return entries;
    } catch (java.io.IOException e) {
      // On a busy machine the request may take longer than the silence that is allowed.
      return 0;
    }
  }

  @ParameterizedTest
  @CsvSource({"per-loop", "global-lock", "sharded(4)"})
  void shouldCountByAddressAndSayWhenThereAreTooMany(String table) throws Exception {
    start(table, "run-to-completion", 3, 0);
    List<TestClient> clients = List.of(connect(), connect(), connect());
    for (TestClient client : clients) {
      assertThat(client.search(1, 1)).isEqualTo(1);
    }
    assertThat(connect().receive()).isEqualTo(new TestClient.Response(0, 0x78, BUSY));
    clients.get(1).send(Pdus.unbind(2));
    eventually("one is gone", () -> server.connectionCount() == 2);
    assertThat(connect().search(1, 1)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"per-loop", "global-lock", "sharded(4)"})
  void shouldEndClientsThatNeverRead(String table) throws Exception {
    start(table, "striped", 0, 300);
    try (TestClient stuck = new TestClient(server.addresses().getFirst(), 8192)) {
      stuck.send(Pdus.search(1, "dc=example", 1_000_000));
      eventually("it is disconnected", () -> core.metrics().connectionsClosed().sum() == 1);
      assertThat(core.metrics().connectionsOpened().sum()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"per-loop", "global-lock", "sharded(4)"})
  void shouldLetOperationsEndBeforeItCloses(String table) throws Exception {
    start(table, "striped", 0, 0);
    List<TestClient> idle = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      idle.add(connect());
      assertThat(idle.getLast().search(1, 1)).isEqualTo(1);
    }
    TestClient busy = connect();
    busy.send(Pdus.search(1, "dc=example", 50_000));
    busy.receive();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
    assertThat(busy.receiveSearch(1)).isEqualTo(49_999);
    assertThat(busy.receive()).isEqualTo(new TestClient.Response(0, 0x78, UNAVAILABLE));
    for (TestClient client : idle) {
      assertThat(client.receive()).isEqualTo(new TestClient.Response(0, 0x78, UNAVAILABLE));
      assertThat(client.isAtEnd()).isTrue();
    }
    closing.join();
    assertThat(server.connectionCount()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"per-loop", "global-lock", "sharded(4)"})
  void shouldEndOperationsWhoseClientsWentAway(String table) throws Exception {
    start(table, "striped", 0, 0);
    for (int i = 0; i < 200; i++) {
      try (TestClient client = new TestClient(server.addresses().getFirst(), 8192)) {
        client.send(Pdus.search(1, "dc=example", 1 + i * 100));
        client.receive();
      }
    }
    eventually("no connection is open", () -> server.connectionCount() == 0);
    eventually(
        "all operations have ended",
        () ->
            core.metrics().operationsCompleted().sum() == core.metrics().operationsStarted().sum());
    assertThat(core.metrics().operationsStarted().sum()).isEqualTo(200);
  }
}
