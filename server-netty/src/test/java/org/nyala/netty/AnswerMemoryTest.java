package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.netty.WireSettings.Transport;

/** The memory of answers that many clients do not read, at every moment. */
final class AnswerMemoryTest extends NettyLdapServerTestCase {
  private static final int MEBIBYTE = 1 << 20;

  /** The bytes that loops and workers answer at once without a charge, and charge for when made. */
  private static final int FREE_BYTES = MEBIBYTE;

  /**
   * Answers are charged before they are made: the buffers of all that run at once are within the
   * budget, but for what is free to each thread.
   */
  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "run-to-completion", "lightweight", "striped"})
  void shouldMakeNoMoreAnswersThanThereIsRoomFor(String strategy) throws Exception {
    directory.memory = new MemoryBudget(MemoryBounds.of(4 * MEBIBYTE, 100, 20), System::nanoTime);
    start(settings(Transport.AUTO, 0, 0), strategy);
    PooledByteBufAllocator buffers = PooledByteBufAllocator.DEFAULT;
    long before = buffers.pinnedDirectMemory();
    AtomicLong mostHeld = new AtomicLong();
    AtomicLong mostPinned = new AtomicLong();
    AtomicBoolean isOver = new AtomicBoolean();
    Thread sampler =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!isOver.get()) {
                    mostHeld.accumulateAndGet(core.memory().held(), Math::max);
                    mostPinned.accumulateAndGet(buffers.pinnedDirectMemory() - before, Math::max);
                  }
                });
    List<TestClient> deaf = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      TestClient client = new TestClient(server.addresses().getFirst(), 4096);
      deaf.add(client);
      byte[][] searches = new byte[8][];
      for (int id = 1; id <= searches.length; id++) {
        searches[id - 1] = Pdus.search(id, "dc=example", 10_000);
      }
      client.send(Pdus.concat(searches));
    }
    eventually("much is held", () -> core.memory().held() > MEBIBYTE);
    try (TestClient neighbour = connect()) {
      for (int i = 1; i <= 40; i++) {
        assertThat(neighbour.search(i, 10)).isEqualTo(10);
      }
    }
    isOver.set(true);
    sampler.join();
    long whole = core.memory().bounds().wholeBytes();
    assertThat(mostHeld.get()).isLessThan(whole + FREE_BYTES);
    assertThat(mostPinned.get()).isLessThan(2 * whole);
    for (TestClient each : deaf) {
      each.socket.setSoLinger(true, 0);
      each.close();
    }
    eventually("nothing is held", () -> core.memory().held() == 0);
  }
}
