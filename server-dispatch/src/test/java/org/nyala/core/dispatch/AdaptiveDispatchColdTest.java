package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.dispatch.ScriptedTask.longOne;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.Seeds;
import org.nyala.core.contention.Contention;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;

/** Tests operations that wait for the disk. */
class AdaptiveDispatchColdTest extends AdaptiveDispatchTestCase {
  private static final int DISK_THREADS = 7;
  private static final int SLOW_NANOS = 10_000_000;
  private static final int TASKS = 4_000;
  private static final int CONNECTIONS = 20;

  /** The threads of the pool for the disk. */
  private final Set<Thread> diskThreads = ConcurrentHashMap.newKeySet();

  /** A gate that opens before the strategy waits for its tasks, also if the test fails. */
  private interface Gate extends AutoCloseable {
    @Override
    void close();
  }

  private AdaptiveDispatch withPermits(int permits) {
    return new AdaptiveDispatch(settings(2, permits, DISK_THREADS), 2, usage);
  }

  private DispatchSettings settings(int workers, int permits, int disk) {
    ThreadFactory threads = Thread.ofPlatform().daemon().factory();
    return new DispatchSettings(
        workers,
        0,
        permits,
        1,
        1,
        disk,
        50,
        threads,
        diskWaiter -> {
          Thread thread = threads.newThread(diskWaiter);
          diskThreads.add(thread);
          return thread;
        },
        threads,
        this::now,
        Contention.UNMEASURED);
  }

  /** Makes tasks of the usual class leave the loops. */
  private void demote(AdaptiveDispatch dispatch) {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    long before = dispatch.demotions().get(ScriptedTask.USUAL);
    while (dispatch.demotions().get(ScriptedTask.USUAL) == before) {
      ScriptedTask slow = with(history, SLOW_NANOS);
      dispatch.dispatch(slow);
      await(slow.done);
    }
  }

  /** Makes as many tasks as there are threads wait for the disk at the same time. */
  private static List<ScriptedTask> fill(AdaptiveDispatch dispatch, CountDownLatch gate) {
    List<ScriptedTask> waiting =
        Stream.generate(() -> ScriptedTask.heldOne(1, Runnable::run, gate))
            .limit(DISK_THREADS)
            .toList();
    assertThat(waiting).allMatch(dispatch::dispatch);
    eventually("all wait", () -> waiting.stream().allMatch(ScriptedTask::isRunning));
    return waiting;
  }

  @Test
  void shouldLetThemWaitAllAtOnceAndKeepTheStripesFree() {
    CountDownLatch gate = new CountDownLatch(1);
    try (AdaptiveDispatch dispatch = withPermits(4 * DISK_THREADS);
        Gate _ = gate::countDown) {
      demote(dispatch);
      List<ScriptedTask> waiting = fill(dispatch, gate);
      ScriptedTask otherClass = longOne(1, Runnable::run, 3);
      otherClass.costClass = ScriptedTask.OTHER;
      dispatch.dispatch(otherClass);
      await(otherClass.done);
      eventually("the other task has ended", () -> dispatch.inFlight() == DISK_THREADS);
      assertThat(waiting).allMatch(this::isInTheDiskPool);
      assertThat(isInTheDiskPool(otherClass)).isFalse();
    }
  }

  @Test
  void shouldNeverChooseThePoolForWhatIsOnlyLong() {
    try (AdaptiveDispatch dispatch = withPermits(0)) {
      for (int connection = 0; connection < CONNECTIONS; connection++) {
        ScriptedTask task = longOne(connection, Runnable::run, 2);
        dispatch.dispatch(task);
        await(task.done);
        assertThat(isOnTheLoop(task) || isInTheDiskPool(task)).isFalse();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 0, 128", "2, 16, 0, 256", "2, 200, 0, 400", "2, 16, 5, 5"})
  void shouldHavePermitsForAllItsThreads(int workers, int diskThreads, int permits, int expected) {
    assertThat(settings(workers, permits, diskThreads).permitsOfDiskPool()).isEqualTo(expected);
  }

  @Test
  void shouldHaveAsManyThreadsAsThereAreLoops() {
    assertThat(settings(1, 0, 0).diskThreadCount())
        .isGreaterThanOrEqualTo(16)
        .isGreaterThanOrEqualTo(2 * Runtime.getRuntime().availableProcessors());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(1, 0, -1))
        .withMessageContaining("disk threads -1");
  }

  @Test
  void shouldSendThemToTheStripesAgainOnceTheyAreForgiven() {
    CountDownLatch gate = new CountDownLatch(1);
    try (AdaptiveDispatch dispatch = withPermits(4 * DISK_THREADS);
        Gate _ = gate::countDown) {
      demote(dispatch);
      List<ScriptedTask> waiting = fill(dispatch, gate);
      clock.addAndGet(ClassDemotion.DEMOTION_NANOS);
      ScriptedTask forgiven = longOne(1, Runnable::run, 3);
      dispatch.dispatch(forgiven);
      await(forgiven.done);
      assertThat(forgiven.budgets).containsExactly(SOON, Slices.WORKER, Slices.WORKER);
      assertThat(isInTheDiskPool(forgiven)).isFalse();
      assertThat(waiting).noneMatch(task -> task.done.getCount() == 0);
    }
  }

  @Test
  void shouldMoveWhatIsUnderWayWithItsClass() {
    CountDownLatch end = new CountDownLatch(1);
    ScriptedTask scan =
        new ScriptedTask(
            1,
            Runnable::run,
            _ -> {
              // Keeps the number of remembered slices small.
              LockSupport.parkNanos(1_000);
              return end.getCount() > 0 ? Outcome.YIELDED : Outcome.DONE;
            });
    try (AdaptiveDispatch dispatch = withPermits(4 * DISK_THREADS);
        Gate _ = end::countDown) {
      dispatch.dispatch(scan);
      eventually("it is on a stripe", () -> !isOnTheLoop(scan) && !isInTheDiskPool(scan));
      demote(dispatch);
      eventually("it is in the pool", () -> isInTheDiskPool(scan));
      // No operation of its class starts on a loop any more.
      clock.addAndGet(ClassDemotion.DEMOTION_NANOS);
      eventually("the task is on a stripe again", () -> !isInTheDiskPool(scan));
    }
    assertThat(scan.done.getCount()).isZero();
    assertThat(scan.violations).hasValue(0);
  }

  private static boolean isOnTheLoop(ScriptedTask task) {
    return task.lastThread == Thread.currentThread();
  }

  private boolean isInTheDiskPool(ScriptedTask task) {
    return diskThreads.contains(task.lastThread);
  }

  @Test
  void shouldRunEveryTaskOnceWhileClassesComeAndGo() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    Queue<ScriptedTask> resting = new ConcurrentLinkedQueue<>();
    List<ConnectionLoopHistory> histories =
        Stream.generate(ConnectionLoopHistory::new).limit(CONNECTIONS).toList();
    List<ScriptedTask> tasks = new ArrayList<>();
    List<ScriptedTask> withdrawn = new ArrayList<>();
    int held = 0;
    AdaptiveDispatch dispatch = withPermits(3);
    for (int i = 0; i < TASKS || i < 10 * TASKS && demotions(dispatch) <= 2; i++) {
      boolean isSlow = i / 200 % 2 == 0;
      ScriptedTask task = anyTask(random, isSlow, resting);
      task.history = histories.get(task.connectionNumber());
      tasks.add(task);
      boolean waits = !dispatch.dispatch(task);
      if (waits && random.nextBoolean() && dispatch.withdraw(task)) {
        withdrawn.add(task);
      }
      held += waits ? 1 : 0;
      if (random.nextInt(100) == 0) {
        clock.addAndGet(ClassDemotion.DEMOTION_NANOS);
      }
      resumeAll(dispatch, resting);
    }
    tasks.removeAll(withdrawn);
    for (ScriptedTask task : tasks) {
      eventually(
          "all tasks have ended, seed " + seed,
          () -> {
            resumeAll(dispatch, resting);
            return task.done.getCount() == 0;
          });
    }
    eventually("all permits are back, seed " + seed, () -> dispatch.inFlight() == 0);
    dispatch.close();
    assertThat(tasks).as("seed %d", seed).allMatch(task -> task.violations.get() == 0);
    assertThat(tasks.stream().mapToInt(task -> task.admissions.get()).sum())
        .as("seed %d", seed)
        .isEqualTo(held - withdrawn.size());
    assertThat(withdrawn).as("seed %d", seed).allMatch(task -> task.admissions.get() == 0);
    assertThat(demotions(dispatch)).as("seed %d", seed).isGreaterThan(2);
  }

  private static long demotions(AdaptiveDispatch dispatch) {
    return dispatch.demotions().get(ScriptedTask.USUAL);
  }

  private static void resumeAll(AdaptiveDispatch dispatch, Queue<ScriptedTask> resting) {
    for (ScriptedTask task = resting.poll(); task != null; task = resting.poll()) {
      dispatch.resume(task);
    }
  }

  /**
   * Returns a task that yields, awaits its client or hashes between its slices, of which it has up
   * to five.
   */
  private ScriptedTask anyTask(Random random, boolean isSlow, Queue<ScriptedTask> resting) {
    int slices = 1 + random.nextInt(5);
    int restsAfter = random.nextInt(10);
    int hashesAfter = random.nextInt(20);
    return new ScriptedTask(
        random.nextInt(CONNECTIONS),
        Runnable::run,
        self -> {
          int slice = self.slices.get();
          if (isSlow && slice == 1) {
            clock.addAndGet(SLOW_NANOS);
          }
          if (slice == slices) {
            return Outcome.DONE;
          }
          self.lane = slice == hashesAfter ? Lane.HASH : Lane.READ;
          return slice == restsAfter ? Outcome.AWAITING_CLIENT : Outcome.YIELDED;
        }) {
      @Override
      public Outcome run(SliceBudget budget) {
        Outcome outcome = super.run(budget);
        if (outcome == Outcome.AWAITING_CLIENT) {
          resting.add(this);
        }
        return outcome;
      }
    };
  }
}
