package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import io.netty.buffer.Unpooled;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.message.LdapResult;
import org.nyala.core.session.Operation;
import org.nyala.netty.RequestIntake.IntakeAccount;
import org.nyala.netty.WireSettings.Transport;

/** Clients that make the server hold much memory, and other clients meanwhile. */
final class HeldMemoryTest extends NettyLdapServerTestCase {
  private static final int MEBIBYTE = 1 << 20;

  /**
   * The bytes that each loop and worker reads at once, before any client can be rejected; answers
   * are charged before they are made, but for 64 KiB each.
   */
  private static final int SLACK_BYTES = MEBIBYTE;

  /** 32,000 values in 64 KB: as many arrays when it is decoded. */
  private static byte[] emptyValues(int id, int values) {
    byte[] empty = new byte[2 * values];
    for (int i = 0; i < empty.length; i += 2) {
      empty[i] = 4;
    }
    return Pdus.message(
        id,
        Pdus.element(
            0x66,
            Pdus.text("cn=a"),
            Pdus.element(
                0x30,
                Pdus.element(
                    0x30,
                    Pdus.number(10, 0),
                    Pdus.element(0x30, Pdus.text("cn"), Pdus.element(0x31, empty))))));
  }

  private void start(int mebibytes, long timeoutMillis, String strategy) throws IOException {
    directory.memory =
        new MemoryBudget(MemoryBounds.of((long) mebibytes * MEBIBYTE, 25, 20), System::nanoTime);
    start(settings(Transport.AUTO, 0, timeoutMillis), strategy);
  }

  private void requireBounded() {
    assertThat(core.memory().held()).isLessThan(core.memory().bounds().wholeBytes() + SLACK_BYTES);
  }

  private void endParked() {
    for (Operation bind = directory.parked.poll(); bind != null; bind = directory.parked.poll()) {
      bind.finish(LdapResult.SUCCESS);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "run-to-completion", "lightweight"})
  void shouldDecodeNoMoreThanThereIsRoomFor(String strategy) throws Exception {
    start(8, 0, strategy);
    byte[] large = emptyValues(2, 32_000);
    List<TestClient> pipelining = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      TestClient client = connect();
      pipelining.add(client);
      client.send(Pdus.bind(1, TestDirectory.PARKED, "a"));
      client.socket.setSendBufferSize(4 * MEBIBYTE);
      Thread.ofVirtual().start(() -> sendAll(client, large));
    }
    eventually("binds wait", () -> directory.parked.size() == 16);
    try (TestClient neighbour = connect()) {
      for (int i = 1; i <= 40; i++) {
        assertThat(neighbour.search(i, 3)).isEqualTo(3);
        requireBounded();
      }
      pipelining.forEach(HeldMemoryTest::vanish);
      eventually("they are gone", () -> server.connectionCount() == 1);
      endParked();
      eventually("nothing is held", () -> core.memory().held() == 0);
    }
  }

  private static void sendAll(TestClient client, byte[] request) {
    try {
      for (int i = 0; i < 12; i++) {
        client.send(request);
      }
    } catch (IOException e) {
      // The client was disconnected, with a notice or without.
      vanish(client);
    }
  }

  private static void vanish(TestClient client) {
    try {
      if (!client.socket.isClosed()) {
        client.socket.setSoLinger(true, 0);
      }
      client.close();
    } catch (IOException e) {
      // Another thread has closed it meanwhile.
      assertThat(client.socket.isClosed()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "run-to-completion", "lightweight"})
  void shouldAnswerEverythingInTurnWhereThereIsRoomForOne(String strategy) throws Exception {
    start(16, 0, strategy);
    try (TestClient client = connect()) {
      Thread.ofVirtual()
          .start(
              () -> {
                for (int i = 1; i <= 12; i++) {
                  sendOnce(client, emptyValues(i, 30_000));
                }
              });
      for (int i = 1; i <= 12; i++) {
        assertThat(client.receive().code()).isZero();
        requireBounded();
      }
    }
    eventually("nothing is held", () -> core.memory().held() == 0);
  }

  private static void sendOnce(TestClient client, byte[] request) {
    try {
      client.send(request);
    } catch (IOException e) {
      // The client was disconnected with a notice.
      vanish(client);
    }
  }

  @Test
  void shouldRefuseRequestsThatNeverFit() throws Exception {
    start(1, 0, "run-to-completion");
    try (TestClient client = connect()) {
      client.send(emptyValues(1, 30_000));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(1, 0x67, 11));
      assertThat(client.search(2, 1)).isEqualTo(1);
      assertThat(client.send(Pdus.bind(3, "cn=a", "b")).receive().code()).isZero();
      client.send(Arrays.copyOf(new byte[] {0x30, (byte) 0x83, 0xf, 0, 0, 2, 1, 4}, 2000));
      assertThat(client.receive()).isEqualTo(new TestClient.Response(0, 0x78, 11));
    }
    eventually("nothing is held", () -> core.memory().held() == 0);
  }

  /** No answer comes from which the client could learn that it was refused. */
  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "run-to-completion", "lightweight"})
  void shouldTakeMemoryForLargeRequestsWithoutAnAnswer(String strategy) throws Exception {
    start(64, 0, strategy);
    byte[] control = Pdus.control("1.2.3", false, Pdus.element(4, new byte[MEBIBYTE / 2]));
    try (TestClient client = connect()) {
      assertThat(client.send(Pdus.bind(1, "cn=a", "b")).receive().code()).isZero();
      client.send(Pdus.message(2, Pdus.number(0x50, 9), Pdus.element(0xa0, control)));
      assertThat(client.search(3, 1)).isEqualTo(1);
      assertThat(core.memory().takeMostHeld()).isGreaterThan(MEBIBYTE);
    }
    eventually("nothing is held", () -> core.memory().held() == 0);
  }

  @Test
  void shouldHoldTheBytesOfLargeMessagesUntilTheyAreDecoded() throws Exception {
    start(64, 0, "adaptive");
    MemoryAccount memory = core.memory().open("a");
    IntakeAccount account = new IntakeAccount(core, memory);
    account.holdsInput(3 * MEBIBYTE);
    long first = account.pass(2 * MEBIBYTE);
    account.holdsInput(0);
    assertThat(memory.held()).isEqualTo(2 * MEBIBYTE);
    long second = account.pass(MEBIBYTE);
    account.holdsInput(0);
    assertThat(memory.held()).isEqualTo(3 * MEBIBYTE);
    new MessageBurst(Unpooled.buffer(), first, null).release(memory);
    new MessageBurst(Unpooled.buffer(), second, null).release(memory);
    assertThat(memory.held()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "run-to-completion", "lightweight"})
  void shouldAnswerOthersWhileManyReadNothing(String strategy) throws Exception {
    start(4, 0, strategy);
    List<TestClient> deaf = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      TestClient client = new TestClient(server.addresses().getFirst(), 4096);
      deaf.add(client);
      for (int id = 1; id <= 4; id++) {
        client.send(Pdus.search(id, "dc=example", 10_000));
      }
    }
    eventually("much is held", () -> core.memory().held() > MEBIBYTE);
    try (TestClient neighbour = connect()) {
      for (int i = 1; i <= 40; i++) {
        assertThat(neighbour.search(i, 10)).isEqualTo(10);
        requireBounded();
      }
      deaf.forEach(HeldMemoryTest::vanish);
      eventually("nothing is held", () -> core.memory().held() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "run-to-completion", "lightweight"})
  void shouldLetOthersInWhileManySendHalfOfMessage(String strategy) throws Exception {
    start(4, 0, strategy);
    List<TestClient> partial = new ArrayList<>();
    Queue<TestClient.Response> told = new ConcurrentLinkedQueue<>();
    byte[] half = Arrays.copyOf(new byte[] {0x30, (byte) 0x82, -1, 0, 2, 1, 1}, 60_000);
    for (int i = 0; i < 120; i++) {
      TestClient client = connect();
      partial.add(client);
      Thread.ofVirtual()
          .start(
              () -> {
                sendOnce(client, half);
                receiveOnce(client, told);
              });
    }
    eventually("some were ended", () -> core.memory().disconnected().sum() > 0);
    eventually("with a notice", () -> !told.isEmpty());
    try (TestClient neighbour = connect()) {
      for (int i = 1; i <= 40; i++) {
        assertThat(neighbour.search(i, 10)).isEqualTo(10);
        requireBounded();
      }
      partial.forEach(HeldMemoryTest::vanish);
      eventually("nothing is held", () -> core.memory().held() == 0);
    }
    assertThat(told).containsOnly(new TestClient.Response(0, 0x78, 51));
    // Each connection is read at most once more than memory allows, into a small buffer.
    assertThat(core.memory().mostHeld())
        .isLessThan(
            core.memory().bounds().wholeBytes()
                + (long) partial.size() * BoundedReceipt.SMALL_BYTES);
  }

  private static void receiveOnce(TestClient client, Queue<TestClient.Response> received) {
    try {
      received.add(client.receive());
    } catch (IOException e) {
      // The client was disconnected without a notice.
      vanish(client);
    }
  }

  /**
   * Sends half of a message, and waits until it is held in addition to those before, or some are
   * released.
   */
  private void sendAndAwait(byte[] half, int before) throws IOException {
    connect().send(half);
    long least = 30_000 * 48 + (before + 1L) * half.length;
    eventually(
        "half a message is held",
        () -> core.memory().held() >= least || core.memory().disconnected().sum() > 0);
  }

  @Test
  void shouldEndThoseThatAreStuckBeforeOneThatWaitsForTheServer() throws Exception {
    ConcurrentMap<Thread, Integer> sweeps = new ConcurrentHashMap<>();
    nanoClock =
        () -> {
          sweeps.merge(Thread.currentThread(), 1, Integer::sum);
          return System.nanoTime();
        };
    directory.memory = new MemoryBudget(MemoryBounds.of(4 * MEBIBYTE, 100, 90), System::nanoTime);
    start(settings(Transport.AUTO, 0, 0), "run-to-completion");
    TestClient waiting = connect();
    waiting.send(Pdus.bind(1, TestDirectory.PARKED, "a"));
    waiting.send(emptyValues(2, 30_000));
    eventually("one holds the most", () -> core.memory().held() > 30_000 * 48);
    byte[] half = Arrays.copyOf(new byte[] {0x30, (byte) 0x82, -1, 0, 2, 1, 1}, 60_000);
    int sent = 0;
    for (; core.memory().held() < 2_900_000; sent++) {
      sendAndAwait(half, sent);
    }
    sweeps.clear();
    eventually(
        "all were looked at", () -> sweeps.values().stream().filter(n -> n > 2).count() == 2);
    // No more than necessary: the owner must not use up its share.
    for (; core.memory().disconnected().sum() == 0; sent++) {
      sendAndAwait(half, sent);
      eventually(
          "some are ended where it is tight",
          () -> !core.memory().isTight() || core.memory().disconnected().sum() > 0);
    }
    endParked();
    assertThat(waiting.receive().code()).isZero();
    assertThat(waiting.receive()).isEqualTo(new TestClient.Response(2, 0x67, 0));
  }

  /**
   * Memory is tight, but small accounts need nothing of the reserve: whoever waits for the server
   * is not stuck. If that does not change, those who hold memory and move nothing end.
   */
  @Test
  void shouldEndOnlyThoseThatAreStuckWhileTheReserveIsUntouched() throws Exception {
    AtomicLong nowNanos = new AtomicLong();
    AtomicLong stepNanos = new AtomicLong(1);
    nanoClock = () -> nowNanos.addAndGet(stepNanos.get());
    directory.memory = new MemoryBudget(MemoryBounds.of(4 * MEBIBYTE, 100, 90), System::nanoTime);
    start(settings(Transport.AUTO, 0, 0), "run-to-completion");
    MemoryAccount other = core.memory().open("other");
    TestClient stuck = connect();
    stuck.send(Arrays.copyOf(new byte[] {0x30, (byte) 0x82, -1, 0, 2, 1, 1}, 60_000));
    eventually("half a message is held", () -> core.memory().held() >= 60_000);
    TestClient waiting = connect();
    sendHeld(waiting, 1);
    fillUpToTheReserve(other);
    assertThat(stuck.receive()).isEqualTo(new TestClient.Response(0, 0x78, 51));
    stuck.close();
    eventually("the stuck one has gone", () -> server.connectionCount() == 1);
    assertThat(core.memory().disconnected().sum()).isEqualTo(1);
    endParked();
    assertThat(waiting.receive().code()).isZero();
    assertThat(waiting.receive()).isEqualTo(new TestClient.Response(2, 0x67, 0));
    eventually("it holds nothing", () -> core.memory().held() == other.held());
    sendHeld(waiting, 3);
    fillUpToTheReserve(other);
    stepNanos.set(TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(waiting.receive()).isEqualTo(new TestClient.Response(0, 0x78, 51));
    endParked();
    other.giveBack(other.held());
    other.close();
  }

  /** Sends a request of which much is held until the bind before it ends. */
  private void sendHeld(TestClient client, int id) throws IOException {
    long before = core.memory().held();
    client.send(Pdus.bind(id, TestDirectory.PARKED, "a"));
    client.send(emptyValues(id + 1, 30_000));
    eventually("a request is held", () -> core.memory().held() > before + 30_000 * 48);
  }

  private void fillUpToTheReserve(MemoryAccount other) {
    long common = core.memory().bounds().wholeBytes() / 8 * 7;
    other.change(0, common - 1 - core.memory().held());
  }

  @Test
  void shouldEndClientsThatSendOneByteNowAndThen() throws Exception {
    AtomicLong nowNanos = new AtomicLong();
    nanoClock = nowNanos::get;
    start(settings(Transport.AUTO, 0, 1000), "run-to-completion");
    try (TestClient dripping = connect();
        TestClient neighbour = connect()) {
      dripping.send(new byte[] {0x30, (byte) 0x82, -1, 0, 2, 1, 1});
      eventually(
          "it is ended",
          () -> {
            nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
            sendOnce(dripping, new byte[1]);
            assertThat(neighbour.search(1, 1)).isEqualTo(1);
            return core.metrics().connectionsClosed().sum() == 1;
          });
      assertThat(neighbour.search(1, 1)).isEqualTo(1);
    }
  }

  private static WireSettings withSendRate(int bytesPerSecond) {
    WireSettings usual = settings(Transport.AUTO, 0, 1000);
    return usual
        .with(
            draft ->
                draft.timeouts =
                    new WireSettings.Timeouts(
                        0, 0, usual.timeouts().writeStallMillis(), usual.timeouts().drainMillis()))
        .with(draft -> draft.rates = new WireSettings.Rates(0, bytesPerSecond));
  }

  /**
   * A client that always reads something, 8 MB in a second of the clock: too little if 64 MiB are
   * required, and enough if there is no minimum rate.
   */
  @ParameterizedTest
  @ValueSource(ints = {64 * MEBIBYTE, 0})
  void shouldEndClientsThatReadLittleNowAndThen(int bytesPerSecond) throws Exception {
    AtomicLong nowNanos = new AtomicLong();
    AtomicLong sweeps = new AtomicLong();
    nanoClock =
        () -> {
          sweeps.incrementAndGet();
          return nowNanos.get();
        };
    start(withSendRate(bytesPerSecond), "run-to-completion");
    try (TestClient slow = new TestClient(server.addresses().getFirst(), 8192);
        TestClient neighbour = connect()) {
      slow.send(Pdus.search(1, "dc=example", 10_000_000));
      InputStream answers = slow.socket.getInputStream();
      long ended = bytesPerSecond == 0 ? 0 : 1;
      eventually(
          ended == 1 ? "it is ended" : "it has been looked at often enough",
          () -> {
            nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(5));
            skipOnce(answers);
            assertThat(neighbour.search(1, 1)).isEqualTo(1);
            return ended == 1
                ? core.metrics().connectionsClosed().sum() == 1
                : nowNanos.get() > TimeUnit.SECONDS.toNanos(5) && sweeps.get() > 12;
          });
      assertThat(core.metrics().connectionsStalled().sum()).isEqualTo(ended);
      assertThat(core.metrics().connectionsClosed().sum()).isEqualTo(ended);
      assertThat(neighbour.search(1, 1)).isEqualTo(1);
      vanish(slow);
    }
  }

  private static void skipOnce(InputStream answers) {
    try {
      answers.skipNBytes(40_000);
    } catch (IOException e) {
      // The client was disconnected.
      assertThat(e).isInstanceOfAny(SocketException.class, EOFException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "run-to-completion", "lightweight"})
  void shouldHoldNothingAfterClientsOfAllKinds(String strategy) throws Exception {
    start(8, 0, strategy);
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 25; i++) {
      TestClient client = new TestClient(server.addresses().getFirst(), 4096);
      for (int id = 1; id <= 1 + random.nextInt(6); id++) {
        client.send(any(random, id));
      }
      if (random.nextBoolean()) {
        client.send(Arrays.copyOf(emptyValues(9, 20_000), 1 + random.nextInt(30_000)));
      }
      if (random.nextBoolean()) {
        vanish(client);
      } else {
        client.close();
      }
    }
    eventually(
        "all have come (seed " + seed + ")", () -> core.metrics().connectionsOpened().sum() == 25);
    eventually("they are gone (seed " + seed + ")", () -> server.connectionCount() == 0);
    eventually(
        "all operations have ended",
        () -> {
          endParked();
          return core.metrics().operationsCompleted().sum()
              == core.metrics().operationsStarted().sum();
        });
    eventually("nothing is held (seed " + seed + ")", () -> core.memory().held() == 0);
  }

  private static byte[] any(Random random, int id) {
    return switch (random.nextInt(6)) {
      case 0 -> Pdus.bind(id, "cn=a", "b");
      case 1 -> Pdus.search(id, "dc=example", random.nextInt(3_000));
      case 2 -> Pdus.abandon(id, 1);
      case 3 -> emptyValues(1, 1 + random.nextInt(30_000));
      case 4 -> Pdus.bind(id, TestDirectory.PARKED, "b");
      default -> emptyValues(id, 1 + random.nextInt(30_000));
    };
  }
}
