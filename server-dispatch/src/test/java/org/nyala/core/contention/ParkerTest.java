package org.nyala.core.contention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The sleep of a thread that serves a queue. */
class ParkerTest {
  private final Contention contention = new Contention(System::nanoTime);
  private final WaitSite site = contention.waits("queue");
  private final Queue<Integer> queue = new ConcurrentLinkedQueue<>();
  private final Parker parker = new Parker(queue, 10, site);
  private final AtomicInteger served = new AtomicInteger();
  private final Thread thread = Thread.ofPlatform().unstarted(this::serve);

  private void serve() {
    while (parker.await()) {
      Integer next = queue.poll();
      served.addAndGet(next == null ? 0 : next);
    }
  }

  private void add(int item) {
    queue.add(item);
    parker.wake();
  }

  private void awaitSleeps(long sleeps) {
    eventually("asleep", () -> site.read().sleeps() == sleeps);
    eventually("parked", () -> thread.getState() == Thread.State.WAITING);
  }

  @Test
  void shouldSleepUntilItIsWokenAndEndWhenItIsStopped() {
    contention.start();
    thread.start();
    awaitSleeps(1);
    add(1);
    eventually("served", () -> served.get() == 1);
    awaitSleeps(2);
    assertThat(site.read().signals()).isEqualTo(1);
    assertThat(parker.isStopping()).isFalse();
    queue.add(2);
    parker.stop();
    Threads.join(thread);
    assertThat(served).hasValue(3);
    assertThat(parker.isStopping()).isTrue();
    assertThat(parker.await()).isFalse();
  }

  @Test
  void shouldNotSpinWhenItIsInterrupted() {
    contention.start();
    thread.start();
    awaitSleeps(1);
    thread.interrupt();
    eventually("the flag is cleared", () -> !thread.isInterrupted());
    awaitSleeps(1);
    add(1);
    eventually("served", () -> served.get() == 1);
    parker.stop();
    Threads.join(thread);
    assertThat(thread.isInterrupted()).isFalse();
  }

  @Test
  void shouldNotSignalAThreadThatIsAwake() {
    contention.start();
    add(1);
    assertThat(site.read().signals()).isZero();
    assertThat(parker.await()).isTrue();
    assertThat(site.read().sleeps()).isZero();
  }

  @Test
  void shouldKeepInterruptsOfThreadsThatJoin() {
    Thread.currentThread().interrupt();
    Threads.join(Thread.ofPlatform().start(() -> {}));
    assertThat(Thread.interrupted()).isTrue();
  }
}
