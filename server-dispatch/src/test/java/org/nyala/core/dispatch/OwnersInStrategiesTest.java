package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.eventually;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.dispatch.Task.Outcome;

/** Tests owners with more tasks than may run beside others, in strategies with permits. */
class OwnersInStrategiesTest {
  /** The number of permits: half of them keep all processors busy, however many there are. */
  private static final int ALL_PERMITS =
      Math.max(64, 4 * Runtime.getRuntime().availableProcessors());

  /** More tasks than may run, of all owners together. */
  private static final int MANY = 3 * ALL_PERMITS;

  private static DispatchStrategy create(String name, int sharePercent) {
    return DispatchStrategies.create(
        name,
        new DispatchSettings(
            2,
            0,
            ALL_PERMITS,
            4,
            1,
            sharePercent,
            Thread.ofPlatform().daemon().factory(),
            System::nanoTime));
  }

  /** Ends endless tasks before their strategy is closed. */
  private static final class Gate implements AutoCloseable {
    private volatile boolean isOpen;

    void open() {
      isOpen = true;
    }

    @Override
    public void close() {
      open();
    }
  }

  private static ScriptedTask gated(Object owner, Gate gate, int number) {
    ScriptedTask task =
        new ScriptedTask(number, Runnable::run, _ -> gate.isOpen ? Outcome.DONE : Outcome.YIELDED);
    task.owner = owner;
    return task;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "adaptive",
        "striped",
        "virtual-threads",
        "load-conditioned",
        "lightweight-conditioned"
      })
  void shouldFindRoomForOneOwnerBesideAnother(String name) {
    try (DispatchStrategy strategy = create(name, 50);
        Gate gate = new Gate()) {
      List<ScriptedTask> greedy = new ArrayList<>();
      int entered = 0;
      for (int i = 0; i < MANY; i++) {
        greedy.add(gated("greedy", gate, i));
        entered += strategy.dispatch(greedy.getLast()) ? 1 : 0;
      }
      assertThat(entered).isEqualTo(ALL_PERMITS / 2);
      assertThat(strategy.inFlight()).isEqualTo(MANY);
      for (int i = 0; i < 50; i++) {
        ScriptedTask modest = ScriptedTask.longOne(i, Runnable::run, 5);
        modest.owner = "modest";
        assertThat(strategy.dispatch(modest)).as("task %d", i).isTrue();
        await(modest.done);
      }
      ScriptedTask late = greedy.get(ALL_PERMITS);
      assertThat(strategy.withdraw(late)).isTrue();
      assertThat(strategy.withdraw(late)).isFalse();
      gate.open();
      greedy.remove(late);
      greedy.forEach(task -> await(task.done));
      assertThat(greedy.stream().mapToInt(task -> task.admissions.get()).sum())
          .isEqualTo(MANY - 1 - entered);
      assertThat(late.admissions).hasValue(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "striped", "virtual-threads"})
  void shouldHaveOnePermitForWhoeverHasNoneWhereOthersHoldAll(String name) {
    try (DispatchStrategy strategy = create(name, 50);
        Gate gate = new Gate()) {
      List<ScriptedTask> greedy = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        greedy.add(gated(i % 3, gate, i));
        strategy.dispatch(greedy.getLast());
      }
      for (int i = 0; i < 50; i++) {
        ScriptedTask modest = ScriptedTask.longOne(i, Runnable::run, 5);
        modest.owner = "modest";
        // It may wait until its predecessor, which has answered, has ended as well.
        strategy.dispatch(modest);
        await(modest.done);
      }
      eventually("only those that were there", () -> strategy.inFlight() == MANY);
      gate.open();
      greedy.forEach(task -> await(task.done));
    }
  }

  /** Hashes of all owners take turns; a slow hash takes longer than a slice and does not yield. */
  @Test
  void shouldHashForEveryOwnerByTurns() throws Exception {
    try (DispatchStrategy strategy = create("adaptive", 50)) {
      CountDownLatch queued = new CountDownLatch(1);
      Queue<Object> order = new ConcurrentLinkedQueue<>();
      List<ScriptedTask> tasks = new ArrayList<>();
      for (int i = 0; i <= 10; i++) {
        ScriptedTask task =
            new ScriptedTask(
                i,
                Runnable::run,
                self -> {
                  await(queued);
                  order.add(self.owner);
                  return Outcome.DONE;
                });
        task.lane = Task.Lane.HASH;
        task.owner = i == 10 ? "modest" : "greedy";
        tasks.add(task);
        strategy.dispatch(task);
      }
      queued.countDown();
      tasks.forEach(task -> await(task.done));
      assertThat(new ArrayList<>(order).indexOf("modest")).isLessThanOrEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "striped", "virtual-threads", "load-conditioned"})
  void shouldMakeEverybodyWaitWithoutShares(String name) {
    try (DispatchStrategy strategy = create(name, 100);
        Gate gate = new Gate()) {
      List<ScriptedTask> tasks = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        tasks.add(gated("greedy", gate, i));
        strategy.dispatch(tasks.getLast());
      }
      ScriptedTask modest = ScriptedTask.longOne(1, Runnable::run, 5);
      modest.owner = "modest";
      assertThat(strategy.dispatch(modest)).isFalse();
      assertThat(strategy.withdraw(modest)).isTrue();
      assertThat(strategy.inFlight()).isEqualTo(MANY);
      gate.open();
      tasks.forEach(task -> await(task.done));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "striped", "virtual-threads", "load-conditioned"})
  void shouldLoseNobodyInAnyStrategy(String name) {
    long seed = Seeds.seed();
    SplittableRandom random = new SplittableRandom(seed);
    DispatchStrategy strategy = create(name, 25);
    ExecutorService client = Executors.newSingleThreadExecutor();
    Gate gate = new Gate();
    List<ScriptedTask> tasks = new ArrayList<>();
    int waited = 0;
    int withdrawn = 0;
    for (int i = 0; i < 5_000; i++) {
      if (i == ALL_PERMITS + 1) {
        // There are more tasks by now than may run, however fast the workers are.
        gate.open();
      }
      ScriptedTask task = scripted(strategy, client, gate, i, random.split());
      task.owner = random.nextInt(3);
      if (!strategy.dispatch(task)) {
        waited++;
        if (random.nextInt(4) == 0 && strategy.withdraw(task)) {
          withdrawn++;
          continue;
        }
      }
      tasks.add(task);
    }
    for (ScriptedTask task : tasks) {
      await(task.done);
      assertThat(task.violations).as("seed %d", seed).hasValue(0);
    }
    client.close();
    strategy.close();
    assertThat(strategy.inFlight()).as("seed %d", seed).isZero();
    assertThat(tasks.stream().mapToInt(task -> task.admissions.get()).sum())
        .as("seed %d", seed)
        .isEqualTo(waited - withdrawn);
    assertThat(waited).as("seed %d: no task had to wait", seed).isPositive();
  }

  private static void resume(DispatchStrategy strategy, ScriptedTask task) {
    while (task.isRunning()) {
      Thread.onSpinWait();
    }
    strategy.resume(task);
  }

  /**
   * Returns a task behind the gate: it yields, awaits its client, and sometimes moves to the lane
   * for hashes.
   */
  private static ScriptedTask scripted(
      DispatchStrategy strategy, Executor client, Gate gate, int number, SplittableRandom random) {
    return new ScriptedTask(
        number,
        Runnable::run,
        task -> {
          if (!gate.isOpen) {
            return Outcome.YIELDED;
          }
          int choice = random.nextInt(8);
          if (choice == 0) {
            task.lane = Task.Lane.HASH;
          }
          if (choice == 1) {
            client.execute(() -> resume(strategy, task));
            return Outcome.AWAITING_CLIENT;
          }
          return choice < 6 ? Outcome.YIELDED : Outcome.DONE;
        });
  }
}
