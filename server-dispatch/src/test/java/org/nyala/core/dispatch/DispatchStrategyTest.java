package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.Patience.join;
import static org.nyala.core.dispatch.ScriptedTask.heldOne;
import static org.nyala.core.dispatch.ScriptedTask.longOne;
import static org.nyala.core.dispatch.ScriptedTask.shortOne;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.core.SilentLog;
import org.nyala.core.dispatch.Task.Outcome;

/** Tests the properties that all strategies share. */
class DispatchStrategyTest extends DispatchTestCase {
  static final List<String> STRATEGIES = DispatchStrategies.OFFERED;
  static final List<String> OFF_LOOP = TriedStrategies.OFF_LOOP;

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldRunEveryTaskToItsEndOnce(String name) {
    DispatchStrategy strategy = TriedStrategies.create(name, 2, 4);
    List<ScriptedTask> tasks = new ArrayList<>();
    AtomicInteger refused = new AtomicInteger();
    for (int i = 0; i < 2_000; i++) {
      ScriptedTask task = longOne(i, loop, 1 + i % 4);
      task.lane = i % 7 == 0 ? Task.Lane.HASH : Task.Lane.READ;
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
    assertThat(strategy.inFlight()).isZero();
    int admissions = 0;
    for (int i = 0; i < tasks.size(); i++) {
      assertThat(tasks.get(i).slices).as("task %d", i).hasValue(1 + i % 4);
      assertThat(tasks.get(i).violations).as("task %d", i).hasValue(0);
      admissions += tasks.get(i).admissions.get();
    }
    assertThat(admissions).isEqualTo(refused.get());
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldSurviveATaskThatThrows(String name) {
    DispatchStrategy strategy = TriedStrategies.create(name, 1, 1);
    try (SilentLog _ = new SilentLog(Slices.class.getName())) {
      failTenTimes(strategy);
    }
    ScriptedTask next = longOne(1, loop, 3);
    loop.execute(() -> strategy.dispatch(next));
    await(next.done);
    strategy.close();
    assertThat(strategy.inFlight()).isZero();
  }

  private void failTenTimes(DispatchStrategy strategy) {
    for (int i = 0; i < 10; i++) {
      ScriptedTask failing =
          new ScriptedTask(
              1,
              loop,
              task -> {
                if (task.slices.get() == 2) {
                  throw new AssertionError("on purpose");
                }
                return Outcome.YIELDED;
              });
      loop.execute(() -> strategy.dispatch(failing));
      await(failing.done);
      awaitIdle(strategy);
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldHoldNothingForATaskThatAwaitsItsClient(String name) {
    DispatchStrategy strategy = TriedStrategies.create(name, 1, 1);
    ScriptedTask waiting =
        new ScriptedTask(
            1, loop, task -> task.slices.get() == 1 ? Outcome.AWAITING_CLIENT : Outcome.DONE);
    loop.execute(() -> strategy.dispatch(waiting));
    ScriptedTask other = longOne(1, loop, 3);
    loop.execute(() -> strategy.dispatch(other));
    await(other.done);
    strategy.resume(waiting);
    await(waiting.done);
    strategy.close();
    assertThat(waiting.slices).hasValue(2);
    assertThat(strategy.inFlight()).isZero();
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldRunWhatWasDispatchedBeforeItCloses(String name) {
    DispatchStrategy strategy = TriedStrategies.create(name, 2, 3);
    List<ScriptedTask> tasks = new ArrayList<>();
    CountDownLatch dispatched = new CountDownLatch(1);
    for (int i = 0; i < 50; i++) {
      tasks.add(longOne(i, loop, 20));
    }
    loop.execute(
        () -> {
          tasks.forEach(strategy::dispatch);
          dispatched.countDown();
        });
    await(dispatched);
    strategy.close();
    assertThat(tasks).allMatch(task -> task.done.getCount() == 0);
    assertThat(strategy.inFlight()).isZero();
    strategy.close();
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldStillCompleteWhatComesAfterItClosed(String name) {
    DispatchStrategy strategy = TriedStrategies.create(name, 1, 1);
    strategy.close();
    ScriptedTask dispatched = longOne(1, loop, 3);
    ScriptedTask resumed = longOne(1, loop, 3);
    AtomicInteger accepted = new AtomicInteger();
    loop.execute(() -> accepted.set(strategy.dispatch(dispatched) ? 1 : -1));
    strategy.resume(resumed);
    await(dispatched.done);
    await(resumed.done);
    loop.close();
    assertThat(accepted).hasValue(1);
    assertThat(resumed.violations).hasValue(0);
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldCompleteTasksWhoseEventLoopHasEnded(String name) {
    DispatchStrategy strategy = TriedStrategies.create(name, 1, 1);
    ScriptedTask orphan =
        longOne(
            1,
            _ -> {
              throw new RejectedExecutionException();
            },
            3);
    strategy.dispatch(orphan);
    await(orphan.done);
    ScriptedTask lateOrphan =
        longOne(
            1,
            _ -> {
              throw new RejectedExecutionException();
            },
            3);
    strategy.close();
    strategy.dispatch(lateOrphan);
    await(lateOrphan.done);
    assertThat(strategy.inFlight()).isZero();
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldKnowItsName(String name) {
    DispatchStrategy strategy = TriedStrategies.create(name, 1, 1);
    assertThat(strategy.name()).isEqualTo(name);
    assertThat(strategy.decodePlacement())
        .isEqualTo(
            name.startsWith("lightweight")
                ? DispatchStrategy.DecodePlacement.WORKER
                : DispatchStrategy.DecodePlacement.EVENT_LOOP);
    strategy.close();
  }

  @Test
  void shouldNameWhatIsOfferedWhereANameIsNot() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TriedStrategies.create("fastest", 1, 1))
        .withMessage(
            "dispatch strategy 'fastest' is unknown; offered are adaptive, run-to-completion,"
                + " striped, virtual-threads, multi-queue, single-queue, load-conditioned,"
                + " lightweight, lightweight-conditioned");
  }

  @Test
  void shouldRefuseSettingsThatCannotWork() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DispatchSettings(-1, 0, 0, 4, 0, Thread::new, System::nanoTime));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DispatchSettings(0, 0, 0, -1, 0, Thread::new, System::nanoTime));
    DispatchSettings automatic = DispatchSettings.automatic(Thread::new, System::nanoTime);
    assertThat(automatic.workerThreads()).isPositive();
    assertThat(automatic.hashThreadCount()).isPositive();
    assertThat(automatic.permitsPerStripe()).isEqualTo(128);
    assertThat(
            new DispatchSettings(3, 0, 2, 4, 1, Thread::new, System::nanoTime).permitsPerStripe())
        .isEqualTo(1);
  }

  @ParameterizedTest
  @FieldSource("OFF_LOOP")
  void shouldRunShortTasksBetweenTheSlicesOfALongOne(String name) {
    DispatchStrategy strategy = TriedStrategies.create(name, 1, 10);
    CountDownLatch shortEnded = new CountDownLatch(1);
    ScriptedTask endless =
        new ScriptedTask(1, loop, _ -> shortEnded.getCount() > 0 ? Outcome.YIELDED : Outcome.DONE);
    strategy.dispatch(endless);
    ScriptedTask quick = shortOne(1);
    strategy.dispatch(quick);
    await(quick.done);
    shortEnded.countDown();
    await(endless.done);
    strategy.close();
  }

  @ParameterizedTest
  @FieldSource("OFF_LOOP")
  void shouldNotMissAWakeUp(String name) {
    DispatchStrategy strategy = TriedStrategies.create(name, 2, 10);
    for (int i = 0; i < 20_000; i++) {
      ScriptedTask task = shortOne(i);
      strategy.dispatch(task);
      await(task.done);
    }
    strategy.close();
    assertThat(strategy.inFlight()).isZero();
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldLoseNothingToAConcurrentClose(String name) {
    for (int round = 0; round < 200; round++) {
      DispatchStrategy strategy = TriedStrategies.create(name, 2, 2);
      List<ScriptedTask> tasks = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        tasks.add(longOne(i, loop, 1 + i % 3));
        tasks.getLast().lane = i % 4 == 0 ? Task.Lane.HASH : Task.Lane.READ;
      }
      Thread closer = new Thread(strategy::close);
      loop.execute(closer::start);
      loop.execute(() -> tasks.forEach(strategy::dispatch));
      for (ScriptedTask task : tasks) {
        await(task.done);
        assertThat(task.violations).hasValue(0);
      }
      join(closer);
      awaitIdle(strategy);
    }
  }

  /** Waits for the last permit, which is released just after the last task has ended. */
  private static void awaitIdle(DispatchStrategy strategy) {
    eventually("nothing is in flight", () -> strategy.inFlight() == 0);
  }

  @Test
  void shouldGiveATaskToTheQueueWithTheLeastToDo() {
    DispatchStrategy strategy =
        DispatchStrategies.create(
            "multi-queue",
            new DispatchSettings(
                4, 4, 0, 1, 1, Thread.ofPlatform().daemon().factory(), System::nanoTime));
    CountDownLatch gate = new CountDownLatch(1);
    for (int i = 0; i < 3; i++) {
      strategy.dispatch(heldOne(1, loop, gate));
    }
    // All of one connection, and three of four threads are busy: only the least loaded queue moves.
    for (int i = 0; i < 10; i++) {
      ScriptedTask task = shortOne(1);
      strategy.dispatch(task);
      await(task.done);
      eventually("the short task has ended", () -> strategy.inFlight() == 3);
    }
    gate.countDown();
    strategy.close();
  }

  @Test
  void shouldRunEveryTaskOnAVirtualThreadOfItsOwn() {
    DispatchStrategy strategy = TriedStrategies.create("virtual-threads", 1, 100);
    Set<Thread> threads = new HashSet<>();
    for (int i = 0; i < 10; i++) {
      ScriptedTask task = longOne(1, loop, 2);
      strategy.dispatch(task);
      await(task.done);
      assertThat(task.lastThread.isVirtual()).isTrue();
      threads.add(task.lastThread);
    }
    strategy.close();
    assertThat(threads).hasSize(10);
  }

  @Test
  void shouldServeOtherConnectionsOfTheLoopBetweenTheSlicesOfALongTask() {
    DispatchStrategy strategy = TriedStrategies.create("run-to-completion", 1, 1);
    CountDownLatch otherServed = new CountDownLatch(1);
    ScriptedTask endless =
        new ScriptedTask(1, loop, _ -> otherServed.getCount() > 0 ? Outcome.YIELDED : Outcome.DONE);
    loop.execute(() -> strategy.dispatch(endless));
    loop.execute(otherServed::countDown);
    await(endless.done);
    strategy.close();
  }
}
