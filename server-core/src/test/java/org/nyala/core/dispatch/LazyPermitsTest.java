package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LazyPermitsTest {
  private final List<Task> admitted = new ArrayList<>();

  private static Task task() {
    return ScriptedTask.shortOne(1);
  }

  @Test
  void shouldGiveOutEveryPermitAndThenPark() {
    LazyPermits permits = new LazyPermits(2, 1, admitted::add);
    assertThat(permits.tryAcquire(task())).isTrue();
    assertThat(permits.tryAcquire(task())).isTrue();
    assertThat(permits.tryAcquire(task())).isFalse();
    assertThat(permits.value()).isZero();
    assertThat(permits.waiting()).isEqualTo(1);
    assertThat(permits.inFlight()).isEqualTo(3);
  }

  @Test
  void shouldAdmitInTheOrderOfArrival() {
    LazyPermits permits = new LazyPermits(1, 1, admitted::add);
    permits.tryAcquire(task());
    Task first = task();
    Task second = task();
    permits.tryAcquire(first);
    permits.tryAcquire(second);
    permits.release();
    assertThat(admitted).containsExactly(first);
    permits.release();
    assertThat(admitted).containsExactly(first, second);
    permits.release();
    assertThat(permits.inFlight()).isZero();
  }

  @Test
  void shouldWakeWaitersOnlyWhenEnoughPermitsAreFree() {
    LazyPermits permits = new LazyPermits(4, 3, admitted::add);
    for (int i = 0; i < 4; i++) {
      permits.tryAcquire(task());
    }
    List<Task> waiters = List.of(task(), task(), task(), task());
    waiters.forEach(permits::tryAcquire);
    permits.release();
    permits.release();
    assertThat(admitted).isEmpty();
    permits.release();
    assertThat(admitted).isEqualTo(waiters.subList(0, 3));
    assertThat(permits.value()).isZero();
    assertThat(permits.waiting()).isEqualTo(1);
  }

  @Test
  void shouldNotLetNewcomersOvertakeWaiters() {
    LazyPermits permits = new LazyPermits(2, 2, admitted::add);
    permits.tryAcquire(task());
    permits.tryAcquire(task());
    Task waiter = task();
    Task newcomer = task();
    permits.tryAcquire(waiter);
    permits.release();
    assertThat(permits.value()).isEqualTo(1);
    assertThat(permits.tryAcquire(newcomer)).isFalse();
    permits.release();
    assertThat(admitted).containsExactly(waiter, newcomer);
  }

  @Test
  void shouldPayOverdraftsBackBeforeAdmittingAnybody() {
    LazyPermits permits = new LazyPermits(2, 1, admitted::add);
    permits.tryAcquire(task());
    permits.tryAcquire(task());
    permits.acquireOverdraft();
    permits.acquireOverdraft();
    assertThat(permits.value()).isEqualTo(-2);
    permits.tryAcquire(task());
    permits.release();
    permits.release();
    assertThat(admitted).isEmpty();
    permits.release();
    assertThat(admitted).hasSize(1);
    assertThat(permits.value()).isZero();
  }

  @Test
  void shouldAdmitEveryWaiterOnceAllPermitsAreFreeWhateverTheLaziness() {
    LazyPermits permits = new LazyPermits(3, 3, admitted::add);
    for (int i = 0; i < 3; i++) {
      permits.tryAcquire(task());
    }
    permits.tryAcquire(task());
    permits.release();
    permits.release();
    permits.release();
    assertThat(admitted).hasSize(1);
    assertThat(permits.value()).isEqualTo(2);
  }

  @Test
  void shouldRefuseLazinessThatWouldStall() {
    assertThatIllegalArgumentException().isThrownBy(() -> new LazyPermits(3, 4, admitted::add));
    assertThatIllegalArgumentException().isThrownBy(() -> new LazyPermits(3, 0, admitted::add));
    assertThatIllegalArgumentException().isThrownBy(() -> new LazyPermits(0, 1, admitted::add));
  }

  @Test
  void shouldRefuseToTakeBackMoreThanWasTaken() {
    LazyPermits permits = new LazyPermits(1, 1, admitted::add);
    assertThatIllegalStateException().isThrownBy(permits::release);
    assertThat(permits.value()).isEqualTo(1);
  }

  /** The semantics in one thread, in as few words as possible. */
  private static final class Oracle {
    final int laziness;
    final ArrayDeque<Task> waiters = new ArrayDeque<>();
    final List<Task> admitted = new ArrayList<>();
    int value;

    Oracle(int permits, int laziness) {
      this.value = permits;
      this.laziness = laziness;
    }

    boolean tryAcquire(Task task) {
      if (waiters.isEmpty() && value > 0) {
        value--;
        return true;
      }
      waiters.add(task);
      return false;
    }

    void release() {
      value++;
      if (value >= laziness) {
        while (value > 0 && !waiters.isEmpty()) {
          value--;
          admitted.add(waiters.remove());
        }
      }
    }
  }

  @Test
  void shouldAgreeWithTheOracleOnRandomSequences() {
    long seed = Long.getLong("test.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      admitted.clear();
      int count = 1 + random.nextInt(8);
      int laziness = 1 + random.nextInt(count);
      LazyPermits permits = new LazyPermits(count, laziness, admitted::add);
      Oracle oracle = new Oracle(count, laziness);
      for (int step = 0; step < 100; step++) {
        switch (random.nextInt(5)) {
          case 0, 1 -> {
            Task task = task();
            assertThat(permits.tryAcquire(task))
                .as("seed %d", seed)
                .isEqualTo(oracle.tryAcquire(task));
          }
          case 2 -> {
            permits.acquireOverdraft();
            oracle.value--;
          }
          default -> {
            if (oracle.value < count) {
              permits.release();
              oracle.release();
            }
          }
        }
        assertThat(permits.value()).as("seed %d", seed).isEqualTo(oracle.value);
        assertThat(permits.waiting()).as("seed %d", seed).isEqualTo(oracle.waiters.size());
        assertThat(admitted).as("seed %d", seed).isEqualTo(oracle.admitted);
      }
    }
  }

  @Test
  void shouldNeitherLoseNorLeakUnderContention() throws InterruptedException {
    int perThread = 20_000;
    ConcurrentLinkedQueue<Task> ready = new ConcurrentLinkedQueue<>();
    AtomicInteger holders = new AtomicInteger();
    AtomicInteger mostHolders = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    LazyPermits permits = new LazyPermits(3, 2, ready::add);
    CountDownLatch start = new CountDownLatch(1);
    Thread[] threads = new Thread[4];
    for (int t = 0; t < threads.length; t++) {
      threads[t] =
          new Thread(
              () -> {
                ScriptedTask.await(start);
                for (int i = 0; i < perThread; i++) {
                  Task task = task();
                  if (permits.tryAcquire(task)) {
                    ready.add(task);
                  }
                  Task next = ready.poll();
                  if (next != null) {
                    mostHolders.accumulateAndGet(holders.incrementAndGet(), Math::max);
                    holders.decrementAndGet();
                    ended.incrementAndGet();
                    permits.release();
                  }
                }
              });
      threads[t].start();
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    while (ready.poll() != null) {
      ended.incrementAndGet();
      permits.release();
    }
    assertThat(ended).hasValue(threads.length * perThread);
    assertThat(mostHolders.get()).isLessThanOrEqualTo(3);
    assertThat(permits.value()).isEqualTo(3);
    assertThat(permits.inFlight()).isZero();
  }
}
