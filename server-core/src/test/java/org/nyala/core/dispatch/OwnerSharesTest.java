package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.eventually;
import static org.nyala.core.dispatch.ScriptedTask.shortOne;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.WaitSite;
import org.nyala.core.dispatch.Task.Outcome;

class OwnerSharesTest {
  /** However many processors there are, half of them are more than keep all processors busy. */
  private static final int ALL_PERMITS =
      Math.max(64, 4 * Runtime.getRuntime().availableProcessors());

  /** More tasks than may run, whoever's they are. */
  private static final int MANY = 3 * ALL_PERMITS;

  private static OwnerShares shares(int share, Consumer<Task> admission) {
    return shares(share, new LazyPermits(1000, 1, task -> {}), 0, admission);
  }

  private static OwnerShares shares(
      int share, LazyPermits permits, int reserve, Consumer<Task> admission) {
    WaitSite site = Contention.UNMEASURED.waits("shares");
    return new OwnerShares(share, permits, reserve, admission, site);
  }

  private static ScriptedTask task(Object owner) {
    ScriptedTask task = shortOne(1);
    task.owner = owner;
    return task;
  }

  @Test
  void shouldLetTasksBeyondTheShareWaitForThoseOfTheirOwner() {
    List<Task> admitted = new ArrayList<>();
    OwnerShares shares = shares(2, admitted::add);
    assertThat(shares.tryAcquire(task("a"))).isTrue();
    assertThat(shares.tryAcquire(task("a"))).isTrue();
    ScriptedTask third = task("a");
    ScriptedTask fourth = task("a");
    assertThat(shares.tryAcquire(third)).isFalse();
    assertThat(shares.tryAcquire(fourth)).isFalse();
    assertThat(shares.tryAcquire(task("b"))).isTrue();
    shares.release("b");
    assertThat(admitted).isEmpty();
    shares.release("a");
    shares.release("a");
    assertThat(admitted).containsExactly(third, fourth);
    shares.release("a");
    shares.release("a");
    assertThat(shares.owners()).isZero();
    assertThatIllegalStateException().isThrownBy(() -> shares.release("a"));
  }

  @Test
  void shouldMakeUpForAnOverdraftFirst() {
    List<Task> admitted = new ArrayList<>();
    OwnerShares shares = shares(1, admitted::add);
    shares.acquireOverdraft("a");
    shares.acquireOverdraft("a");
    ScriptedTask waiting = task("a");
    assertThat(shares.tryAcquire(waiting)).isFalse();
    shares.release("a");
    assertThat(admitted).isEmpty();
    shares.release("a");
    assertThat(admitted).containsExactly(waiting);
    assertThat(shares.waiting()).isZero();
  }

  @Test
  void shouldForgetWhoIsTakenBack() {
    List<Task> admitted = new ArrayList<>();
    OwnerShares shares = shares(1, admitted::add);
    shares.tryAcquire(task("a"));
    ScriptedTask waiting = task("a");
    shares.tryAcquire(waiting);
    assertThat(shares.withdraw(task("a"))).isFalse();
    assertThat(shares.withdraw(waiting)).isTrue();
    assertThat(shares.withdraw(waiting)).isFalse();
    assertThat(shares.waiting()).isZero();
    shares.release("a");
    assertThat(admitted).isEmpty();
    assertThat(shares.owners()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "128, 50, 1, 64",
    "128, 100, 1, 0",
    "6, 50, 2, 3",
    "20, 50, 16, 16",
    "4, 50, 4, 3",
    "2, 50, 1, 1",
    "1, 50, 1, 0",
    "2147483647, 99, 4, 2126008810"
  })
  void shouldLeaveRoomForOthersButNoThreadIdle(int permits, int percent, int threads, int share) {
    assertThat(new Throttle(permits, 4, percent, 0).ownerShare(threads)).isEqualTo(share);
  }

  @Test
  void shouldThrottleNobodyWhereNothingThrottles() {
    assertThat(Throttle.NONE.ownerShare(4)).isZero();
  }

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

  /** Lets endless tasks end, before their strategy is closed. */
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
        // It may wait until its predecessor, which has answered, has left as well.
        strategy.dispatch(modest);
        await(modest.done);
      }
      eventually("only those that were there", () -> strategy.inFlight() == MANY);
      gate.open();
      greedy.forEach(task -> await(task.done));
    }
  }

  @Test
  void shouldHoldWithdrawnTasksToTheirPermits() {
    List<Task> admitted = new ArrayList<>();
    LazyPermits permits = new LazyPermits(1, 1, admitted::add);
    OwnerShares shares = shares(2, permits, 1, admitted::add);
    assertThat(shares.tryAcquire(task("a"))).isTrue();
    ScriptedTask second = task("a");
    assertThat(shares.tryAcquire(second)).as("waits for a permit").isFalse();
    ScriptedTask third = task("a");
    assertThat(shares.tryAcquire(third)).as("waits for a share").isFalse();
    assertThat(shares.tryAcquire(task("b"))).as("takes what is reserved").isTrue();
    assertThat(shares.tryAcquire(task("c"))).as("nothing is left").isFalse();
    assertThat(shares.reserved()).isEqualTo(1);
    assertThat(shares.withdraw(second)).isTrue();
    assertThat(shares.waiting()).isZero();
    assertThat(permits.waiting()).as("c, and the third in place of the second").isEqualTo(2);
    shares.release("b");
    assertThat(shares.reserved()).isZero();
    assertThat(admitted).isEmpty();
  }

  /** A slow hash takes longer than a slice, and does not yield. */
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

  /** What threads do with shares, and what must come of it. */
  private static final class Scuffle {
    static final int SHARE = 3;
    static final int PERMITS = 5;

    final Map<Object, AtomicInteger> held = new ConcurrentHashMap<>();
    final Queue<Object> overdrafts = new ConcurrentLinkedQueue<>();
    final Queue<Task> holders = new ConcurrentLinkedQueue<>();
    final Queue<Task> waiters = new ConcurrentLinkedQueue<>();
    final AtomicInteger waited = new AtomicInteger();
    final AtomicInteger admitted = new AtomicInteger();
    final AtomicInteger withdrawn = new AtomicInteger();
    final AtomicInteger beyond = new AtomicInteger();
    final LazyPermits permits = new LazyPermits(PERMITS, 1, this::grant);
    final OwnerShares shares = shares(SHARE, permits, 2, this::admit);

    private void grant(Task task) {
      shares.granted(task);
      admit(task);
    }

    private void admit(Task task) {
      admitted.incrementAndGet();
      hold(task);
    }

    private void hold(Task task) {
      int now = held.computeIfAbsent(task.owner(), _ -> new AtomicInteger()).incrementAndGet();
      if (now > SHARE) {
        beyond.incrementAndGet();
      }
      holders.add(task);
    }

    void step(SplittableRandom random) {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> {
          ScriptedTask task = task(random.nextInt(4));
          if (shares.tryAcquire(task)) {
            hold(task);
          } else {
            waited.incrementAndGet();
            waiters.add(task);
          }
        }
        case 3 -> {
          Object owner = random.nextInt(4);
          shares.acquireOverdraft(owner);
          overdrafts.add(owner);
        }
        case 4 -> {
          Task task = waiters.poll();
          if (task != null && shares.withdraw(task)) {
            withdrawn.incrementAndGet();
          }
        }
        default -> release(random.nextBoolean());
      }
    }

    boolean release(boolean overdraftFirst) {
      Object owner = overdraftFirst ? overdrafts.poll() : null;
      if (owner != null) {
        shares.release(owner);
        return true;
      }
      Task task = holders.poll();
      if (task == null) {
        return false;
      }
      held.get(task.owner()).decrementAndGet();
      shares.release(task.owner());
      return true;
    }
  }

  @Test
  void shouldAddUpAfterEveryScuffle() throws Exception {
    long seed = Seeds.seed();
    int waited = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      for (int round = 0; round < 1_000; round++) {
        Scuffle scuffle = new Scuffle();
        List<Future<?>> ends = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
          SplittableRandom random = new SplittableRandom(seed + 3L * round + t);
          ends.add(
              threads.submit(
                  () -> {
                    for (int step = 0; step < 50; step++) {
                      scuffle.step(random);
                    }
                  }));
        }
        for (Future<?> end : ends) {
          end.get();
        }
        while (scuffle.release(true) || scuffle.release(false)) {
          // One after the other, and what is admitted for it.
        }
        assertThat(scuffle.beyond).as("seed %d", seed).hasValue(0);
        assertThat(scuffle.shares.waiting()).as("seed %d", seed).isZero();
        assertThat(scuffle.shares.owners()).as("seed %d", seed).isZero();
        assertThat(scuffle.shares.reserved()).as("seed %d", seed).isZero();
        assertThat(scuffle.permits.inFlight()).as("seed %d", seed).isZero();
        assertThat(scuffle.admitted.get() + scuffle.withdrawn.get())
            .as("seed %d", seed)
            .isEqualTo(scuffle.waited.get());
        waited += scuffle.waited.get();
      }
    }
    assertThat(waited).as("seed %d: nobody had to wait", seed).isGreaterThan(1_000);
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
        // However fast the workers are, there are more by now than may run.
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
    assertThat(waited).as("seed %d: nobody had to wait", seed).isPositive();
  }

  private static void resume(DispatchStrategy strategy, ScriptedTask task) {
    while (task.isRunning()) {
      Thread.onSpinWait();
    }
    strategy.resume(task);
  }

  /** Behind the gate: yields, awaits its client, and moves to the lane for hashes now and then. */
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
