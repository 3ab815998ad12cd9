package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.nyala.core.dispatch.ScriptedTask.shortOne;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nyala.core.Seeds;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.WaitSite;

class OwnerQuotasTest {
  private static OwnerQuotas shares(int share, Consumer<Task> admission) {
    return shares(share, new LazyPermits(1000, 1, task -> {}), 0, admission);
  }

  private static OwnerQuotas shares(
      int share, LazyPermits permits, int reserve, Consumer<Task> admission) {
    WaitSite site = Contention.UNMEASURED.waits("shares");
    return new OwnerQuotas(share, permits, reserve, admission, site);
  }

  private static ScriptedTask task(Object owner) {
    ScriptedTask task = shortOne(1);
    task.owner = owner;
    return task;
  }

  @Test
  void shouldLetTasksBeyondTheShareWaitForThoseOfTheirOwner() {
    List<Task> admitted = new ArrayList<>();
    OwnerQuotas shares = shares(2, admitted::add);
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
    OwnerQuotas shares = shares(1, admitted::add);
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
    OwnerQuotas shares = shares(1, admitted::add);
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

  @Test
  void shouldHoldWithdrawnTasksToTheirPermits() {
    List<Task> admitted = new ArrayList<>();
    LazyPermits permits = new LazyPermits(1, 1, admitted::add);
    OwnerQuotas shares = shares(2, permits, 1, admitted::add);
    assertThat(shares.tryAcquire(task("a"))).isTrue();
    ScriptedTask second = task("a");
    assertThat(shares.tryAcquire(second)).as("waits for a permit").isFalse();
    ScriptedTask third = task("a");
    assertThat(shares.tryAcquire(third)).as("waits for a share").isFalse();
    assertThat(shares.tryAcquire(task("b"))).as("takes the reserved permit").isTrue();
    assertThat(shares.tryAcquire(task("c"))).as("no permit is left").isFalse();
    assertThat(shares.reserved()).isEqualTo(1);
    assertThat(shares.withdraw(second)).isTrue();
    assertThat(shares.waiting()).isZero();
    assertThat(permits.waiting()).as("c, and the third in place of the second").isEqualTo(2);
    shares.release("b");
    assertThat(shares.reserved()).isZero();
    assertThat(admitted).isEmpty();
  }

  /** A race of threads for shares, and its checks. */
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
    final OwnerQuotas shares = shares(SHARE, permits, 2, this::admit);

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
          // Repeats, also for tasks that are admitted by that.
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
    assertThat(waited).as("seed %d: no task had to wait", seed).isGreaterThan(1_000);
  }
}
