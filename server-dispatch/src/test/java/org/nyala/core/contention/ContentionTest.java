package org.nyala.core.contention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.Patience.join;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

class ContentionTest {
  private static final int THREADS = 4;
  private static final int ACQUISITIONS = 20_000;

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 100);
  private final Contention contention = new Contention(clock::get);

  private static void together(Runnable work) {
    CountDownLatch go = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(
          Thread.startVirtualThread(
              () -> {
                await(go);
                work.run();
              }));
    }
    go.countDown();
    for (Thread thread : threads) {
      join(thread);
    }
  }

  @Test
  void shouldCountEveryAcquisitionOfALock() {
    Contention real = new Contention(System::nanoTime);
    LockSite site = real.lock("a lock");
    long[] guarded = new long[1];
    assertThat(real.start()).isTrue();
    long before = System.nanoTime();
    together(
        () -> {
          for (int i = 0; i < ACQUISITIONS; i++) {
            site.lock();
            guarded[0]++;
            site.unlock();
          }
        });
    long elapsed = System.nanoTime() - before;
    Counts counts = real.stop();
    assertThat(guarded[0]).isEqualTo(THREADS * ACQUISITIONS);
    assertThat(counts.waits()).isEmpty();
    assertThat(counts.nanos()).isGreaterThanOrEqualTo(elapsed);
    Counts.Lock counted = counts.locks().getFirst();
    assertThat(counted.site()).isEqualTo("a lock");
    assertThat(counted.acquisitions()).isEqualTo(THREADS * ACQUISITIONS);
    assertThat(counted.contended()).isBetween(0L, counted.acquisitions());
    // One holder at a time, and no thread waits while it holds.
    assertThat(counted.heldNanos()).isBetween(1L, elapsed);
    assertThat(counted.contendedNanos()).isBetween(0L, THREADS * elapsed);
  }

  @Test
  void shouldTellWaitingFromHolding() {
    LockSite site = contention.lock("a lock");
    contention.start();
    site.lock();
    clock.addAndGet(5);
    Thread second =
        Thread.ofPlatform()
            .start(
                () -> {
                  site.lock();
                  clock.addAndGet(70);
                  site.unlock();
                });
    awaitBlocked(second);
    clock.addAndGet(30);
    site.unlock();
    join(second);
    Counts counts = contention.stop();
    assertThat(counts.locks()).containsExactly(new Counts.Lock("a lock", 2, 1, 30, 5 + 30 + 70));
    assertThat(counts.nanos()).isEqualTo(105);
  }

  private static void awaitBlocked(Thread thread) {
    eventually(thread + " waits", () -> thread.getState() == Thread.State.WAITING);
  }

  @Test
  void shouldNotHoldWhileItAwaitsACondition() {
    LockSite site = contention.lock("a lock");
    Condition condition = site.newCondition();
    boolean[] there = new boolean[1];
    contention.start();
    Thread sleeper =
        Thread.ofPlatform()
            .start(
                () -> {
                  site.lock();
                  clock.addAndGet(2);
                  while (!there[0]) {
                    site.awaitUninterruptibly(condition);
                  }
                  clock.addAndGet(3);
                  site.unlock();
                });
    awaitBlocked(sleeper);
    clock.addAndGet(1_000);
    site.lock();
    there[0] = true;
    condition.signal();
    site.unlock();
    join(sleeper);
    assertThat(contention.stop().locks()).containsExactly(new Counts.Lock("a lock", 2, 0, 0, 5));
  }

  @Test
  void shouldCountOnlyWhileSomebodyMeasures() {
    LockSite lock = contention.lock("a lock");
    WaitSite queue = contention.waits("a queue");
    lock.lock();
    lock.unlock();
    assertThat(queue.isMeasured()).isFalse();
    queue.signalled();
    queue.asleep();
    queue.waited(clock.get());
    assertThat(contention.read())
        .isEqualTo(new Counts(contention.read().nanos(), List.of(), List.of()));
    contention.start();
    assertThat(queue.isMeasured()).isTrue();
    // Acquired before and released within the measurement, which does not count it as held.
    contention.stop();
    lock.lock();
    contention.start();
    clock.addAndGet(10);
    lock.unlock();
    Counts counts = contention.stop();
    assertThat(counts.locks()).isEmpty();
    assertThat(counts.waits()).isEmpty();
  }

  @Test
  void shouldBeginEveryMeasurementAtZero() {
    LockSite lock = contention.lock("a lock");
    WaitSite queue = contention.waits("a queue");
    contention.start();
    long since = queue.nanoTime();
    lock.lock();
    clock.addAndGet(1);
    lock.unlock();
    queue.waited(since);
    queue.signalled();
    queue.asleep();
    Counts first = contention.stop();
    assertThat(first.locks()).hasSize(1);
    assertThat(first.waits()).containsExactly(new Counts.Wait("a queue", 1, 1, 1, 1, 1));
    clock.addAndGet(1);
    contention.start();
    // A wait that began in the previous measurement does not count in this one.
    queue.waited(since);
    clock.addAndGet(4);
    Counts second = contention.stop();
    assertThat(second).isEqualTo(new Counts(4, List.of(), List.of()));
  }

  @Test
  void shouldSumWaitsOfAllThreads() {
    WaitSite queue = contention.waits("a queue");
    contention.start();
    long since = queue.nanoTime();
    clock.addAndGet(7);
    together(
        () -> {
          for (int i = 0; i < ACQUISITIONS; i++) {
            queue.waited(since);
            queue.signalled();
          }
        });
    clock.addAndGet(2);
    queue.waited(since);
    long waits = (long) THREADS * ACQUISITIONS + 1;
    assertThat(contention.stop().waits())
        .containsExactly(new Counts.Wait("a queue", waits, waits - 1, 0, 7 * (waits - 1) + 9, 9));
  }

  @Test
  void shouldRunOneMeasurementAtATime() {
    assertThat(contention.start()).isTrue();
    assertThat(contention.start()).isFalse();
    contention.stop();
    assertThat(contention.start()).isTrue();
    assertThat(Contention.UNMEASURED.start()).isFalse();
  }

  @Test
  void shouldShowASiteThatWasClosedMeanwhileAndThenForgetIt() {
    LockSite closedBefore = contention.lock("before");
    closedBefore.close();
    contention.start();
    LockSite closedWithin = contention.lock("within");
    for (LockSite site : List.of(closedBefore, closedWithin)) {
      site.lock();
      site.unlock();
      site.close();
      site.close();
    }
    assertThat(contention.stop().locks()).extracting(Counts.Lock::site).containsExactly("within");
    assertThat(contention.read().locks()).isEmpty();
  }
}
