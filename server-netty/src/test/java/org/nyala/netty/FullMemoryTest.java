package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.limits.TestLimits;
import org.nyala.netty.WireSettings.Transport;

/** The ends of operations and connections when memory is full in spite of all bounds. */
final class FullMemoryTest extends NettyLdapServerTestCase {
  private static final int DONE = 0x65;
  private static final int NOTICE = 0x78;
  private static final int HALF = 30_000;

  private void start(String strategy) throws IOException {
    MemoryBounds bounds = MemoryBounds.of(1L << 30, 90, 90).withOperation(Long.MAX_VALUE);
    directory.memory = new MemoryBudget(bounds, System::nanoTime);
    start(settings(Transport.AUTO, 0, 0), strategy);
  }

  private TestClient allocating(int mebibytes) throws IOException {
    TestClient client = connect();
    int before = core.memory().allocations().size();
    client.send(Pdus.search(1, AllocatingBody.BASE + mebibytes + ",1000000", 0));
    eventually(
        "much was allocated",
        () ->
            core.memory().allocations().stream().filter(each -> each.total() > 64 << 20).count()
                > before);
    return client;
  }

  private TestClient holding(int bytes) throws IOException {
    long before = core.memory().held();
    TestClient client = sendHalf(bytes);
    eventually("half a message is held", () -> core.memory().held() >= before + bytes);
    return client;
  }

  private TestClient sendHalf(int bytes) throws IOException {
    return connect().send(Arrays.copyOf(new byte[] {0x30, (byte) 0x82, -1, 0, 2, 1, 1}, bytes));
  }

  private void full(long wanted) {
    core.memory().heapFull(90, 100, wanted);
  }

  private static void assertEnded(TestClient client) throws IOException {
    assertThat(client.receive()).isEqualTo(new TestClient.Response(0, NOTICE, 51));
  }

  @Test
  void shouldEndTheLargestOperationFirst() throws Exception {
    start("striped");
    TestClient excessive = allocating(24);
    TestClient ordinary = allocating(1);
    TestClient holding = holding(HALF);
    full(1);
    assertThat(excessive.receive()).isEqualTo(new TestClient.Response(1, DONE, 11));
    eventually("one is left", () -> core.memory().allocations().size() == 1);
    assertThat(core.memory().disconnected().sum()).isZero();
    full(1);
    assertEnded(holding);
    eventually("nothing is held", () -> core.memory().held() == 0);
    assertThat(core.memory().allocations()).noneMatch(each -> each.isEnding());
    full(1);
    assertThat(ordinary.receive()).isEqualTo(new TestClient.Response(1, DONE, 11));
    assertThat(core.memory().operationsEnded().sum()).isEqualTo(2);
    assertThat(core.memory().full().sum()).isEqualTo(3);
    assertThat(excessive.search(2, 5)).isEqualTo(5);
  }

  @Test
  void shouldEndNoMoreThanTheLargestConnections() throws Exception {
    start("run-to-completion");
    TestClient small = holding(HALF);
    TestClient large = holding(2 * HALF);
    full(HALF);
    assertEnded(large);
    eventually("one is left", () -> server.connectionCount() == 1);
    assertThat(core.memory().disconnected().sum()).isEqualTo(1);
    full(1L << 40);
    assertEnded(small);
    eventually("nothing is held", () -> core.memory().held() == 0);
    try (TestClient neighbour = connect()) {
      full(1L << 40);
      assertThat(neighbour.search(1, 10)).isEqualTo(10);
    }
    assertThat(core.memory().disconnected().sum()).isEqualTo(2);
  }

  @Test
  void shouldEndThoseWithUnreadAnswersOnlyIfBuffersAreFull() throws Exception {
    start("adaptive");
    TestClient deaf = new TestClient(server.addresses().getFirst(), 4096);
    deaf.send(Pdus.search(1, "dc=example", 1_000_000));
    eventually("answers are held", () -> core.memory().held() > 100_000);
    full(1L << 40);
    TestClient holding = sendHalf(HALF);
    assertThat(core.memory().disconnected().sum()).isZero();
    core.reconfigure(TestLimits.with(ServerLimits.DEFAULT, full()));
    eventually("it is ended", () -> core.memory().disconnected().sum() == 1);
    core.reconfigure(ServerLimits.DEFAULT);
    eventually(
        "half a message is held",
        () -> server.connectionCount() == 1 && core.memory().held() >= HALF);
    full(1);
    assertEnded(holding);
    deaf.close();
  }

  /** Limits by which any use of buffers is too much. */
  private static ServerLimits.MemoryLimits full() {
    ServerLimits.MemoryLimits d = ServerLimits.MemoryLimits.DEFAULT;
    return new ServerLimits.MemoryLimits(
        d.mebibytes(),
        d.ownerPercent(),
        d.connectionPercent(),
        d.operationMebibytes(),
        0,
        d.requestElements(),
        d.assertionBytes(),
        d.persistentSearchesPerIdentity(),
        d.persistentSearchRequestBytes());
  }
}
