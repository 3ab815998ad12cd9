package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import io.netty.buffer.PooledByteBufAllocator;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.core.Seeds;
import org.nyala.netty.WireSettings.Transport;

/** Clients that send bytes that are no request, vanish, are silent or do not read. */
@ParameterizedClass
@EnumSource(WireSettings.Codec.class)
final class HostileClientsTest extends NettyLdapServerTestCase {
  HostileClientsTest(WireSettings.Codec tested) {
    codec = tested;
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldBoundMemoryForSlowReaderAndGoOn(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    int entries = Integer.getInteger("nyala.slow.entries", 80_000);
    long bound = 300L * entries;
    try (TestClient slow = new TestClient(server.addresses().getFirst(), 8192);
        TestClient healthy = connect()) {
      slow.send(Pdus.search(1, "dc=example", entries));
      eventually("the search has begun", () -> directory.searches.get() == 1);
      for (int i = 1; i <= 500; i++) {
        assertThat(healthy.search(i, 3)).isEqualTo(3);
      }
      // 500 bytes for each entry were asked for; the output that waits for the client is a fraction
      // of that. The
      // memory that the pool has taken from the system is not checked: it depends on how many
      // threads have ever used the pool.
      assertThat(core.metrics().bytesSent().sum()).isLessThan(bound);
      assertThat(PooledByteBufAllocator.DEFAULT.pinnedDirectMemory()).isLessThan(bound);
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
    eventually("no connection is open", () -> server.connectionCount() == 0);
    eventually(
        "all operations have ended",
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
  void shouldServeHealthyClientWhileOthersSendGarbage(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    long seed = Seeds.seed();
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
    long idleMillis = 100;
    AtomicLong nowNanos = new AtomicLong();
    nanoClock = nowNanos::get;
    start(
        base.with(draft -> draft.loops = new WireSettings.Loops(1, 1))
            .with(draft -> draft.pduLimits = new WireSettings.PduLimits(65536, 65536))
            .with(draft -> draft.connections = new WireSettings.Connections(0, 0))
            .with(draft -> draft.timeouts = new WireSettings.Timeouts(0, idleMillis, 0, 60_000)),
        "run-to-completion");
    try (TestClient client = connect()) {
      assertThat(client.search(1, 1)).isEqualTo(1);
      eventually(
          "it is disconnected",
          () -> {
            nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(idleMillis));
            return core.metrics().connectionsClosed().sum() == 1;
          });
      assertThat(client.isAtEnd()).isTrue();
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldEndClientsThatNeverRead(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 100), strategy);
    try (TestClient stuck = new TestClient(server.addresses().getFirst(), 8192)) {
      stuck.send(Pdus.search(1, "dc=example", 1_000_000));
      eventually("it is disconnected", () -> core.metrics().connectionsClosed().sum() == 1);
      assertThat(core.metrics().connectionsOpened().sum()).isEqualTo(1);
    }
  }
}
