package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.join;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.Counts;
import org.nyala.core.dispatch.Task.Outcome;

/** Tests the counters of strategies at work. */
class WorkQueueSitesTest {
  private static final int TASKS = 500;
  private static final int SLICES = 3;

  private final Contention contention = new Contention(System::nanoTime);
  private final ExecutorService loop = Executors.newSingleThreadExecutor();
  private final List<ScriptedTask> tasks = new ArrayList<>();
  private final AtomicInteger refused = new AtomicInteger();

  @AfterEach
  void endLoop() {
    loop.close();
  }

  private DispatchStrategy create(String name, int permits) {
    return create(name, permits, 100);
  }

  private DispatchStrategy create(String name, int permits, int sharePercent) {
    return DispatchStrategies.create(
        name,
        new DispatchSettings(
            2,
            2,
            permits,
            1,
            1,
            1,
            sharePercent,
            Thread.ofPlatform().daemon().factory(),
            Thread.ofPlatform().daemon().factory(),
            Thread.ofPlatform().daemon().factory(),
            System::nanoTime,
            contention));
  }

  private void run(DispatchStrategy strategy) {
    for (int i = 0; i < TASKS; i++) {
      ScriptedTask task =
          new ScriptedTask(
              i, loop, one -> one.slices.get() < SLICES ? Outcome.YIELDED : Outcome.DONE);
      tasks.add(task);
      loop.execute(
          () -> {
            if (!strategy.dispatch(task)) {
              refused.incrementAndGet();
            }
          });
    }
    for (ScriptedTask task : tasks) {
      await(task.done);
    }
    strategy.close();
    // A task may end before the loop is notified that it had to wait.
    loop.close();
    assertThat(tasks)
        .allSatisfy(
            task -> {
              assertThat(task.slices).hasValue(SLICES);
              assertThat(task.violations).hasValue(0);
            });
  }

  private static long waits(Counts counts, String end) {
    return counts.waits().stream()
        .filter(wait -> wait.site().endsWith(end))
        .mapToLong(Counts.Wait::waits)
        .sum();
  }

  @ParameterizedTest
  @CsvSource({
    "single-queue, shared queue: queue, 3",
    "multi-queue, queue 1: queue, 3",
    "load-conditioned, shared queue: queue, 3",
    "striped, stripe 2: queue, 3",
    "virtual-threads, virtual threads: queue, 1"
  })
  void shouldCountEveryWaitInAQueueAndForAPermit(String name, String site, int waitsPerTask) {
    DispatchStrategy strategy = create(name, 2);
    contention.start();
    run(strategy);
    Counts counts = contention.stop();
    assertThat(counts.waits()).extracting(Counts.Wait::site).contains(site);
    assertThat(waits(counts, ": queue")).isEqualTo((long) TASKS * waitsPerTask);
    assertThat(waits(counts, ": permits")).isEqualTo(refused.get());
    for (Counts.Lock lock : counts.locks()) {
      assertThat(lock.contended()).isBetween(0L, lock.acquisitions());
    }
    // The strategy has been closed: its sites no longer exist.
    contention.start();
    assertThat(contention.stop()).extracting(Counts::locks, Counts::waits).containsOnly(List.of());
  }

  @Test
  void shouldCountEveryPassageOfTheQueueLock() {
    DispatchStrategy strategy = create("single-queue", 0);
    contention.start();
    run(strategy);
    Counts.Lock lock =
        contention.stop().locks().stream()
            .filter(counted -> counted.site().equals("shared queue: queue lock"))
            .findFirst()
            .orElseThrow();
    // Each task is queued once and taken for each slice. Each of the two threads may have begun its
    // first attempt before the measurement, and makes one in vain at the end; closing takes the
    // lock once.
    long passages = (long) TASKS * (1 + SLICES);
    assertThat(lock.acquisitions()).isBetween(passages - 2, passages + 3);
  }

  @Test
  void shouldTakeBackWhatWaitsWhileSomebodyMeasures() {
    for (int sharePercent : new int[] {50, 100}) {
      DispatchStrategy strategy = create("load-conditioned", 2, sharePercent);
      contention.start();
      CountDownLatch gate = new CountDownLatch(1);
      List<ScriptedTask> running = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        running.add(ScriptedTask.heldOne(i, loop, gate));
        strategy.dispatch(running.getLast());
      }
      ScriptedTask waiting = new ScriptedTask(0, loop, _ -> Outcome.DONE);
      waiting.owner = running.getFirst().owner;
      assertThat(strategy.dispatch(waiting)).isFalse();
      assertThat(strategy.withdraw(waiting)).isTrue();
      assertThat(strategy.withdraw(waiting)).isFalse();
      gate.countDown();
      strategy.close();
      assertThat(waiting.slices).hasValue(0);
      assertThat(strategy.inFlight()).isZero();
      contention.stop();
    }
  }

  @Test
  void shouldLoseNothingWhenMeasurementsComeAndGo() {
    DispatchStrategy strategy = create("load-conditioned", 2);
    AtomicBoolean over = new AtomicBoolean();
    Thread measuring =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  while (!over.get()) {
                    contention.start();
                    contention.stop();
                  }
                });
    run(strategy);
    over.set(true);
    join(measuring);
  }
}
