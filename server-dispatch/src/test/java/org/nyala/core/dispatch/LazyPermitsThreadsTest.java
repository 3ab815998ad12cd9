package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;

/**
 * Tests {@link LazyPermits} between threads: thousands of short races, after each of which the
 * numbers must add up.
 */
class LazyPermitsThreadsTest {
  private static final int THREADS = 4;
  private static final int ROUNDS = 3_000;
  private static final int STEPS = 24;

  /** A task with the interval in which it was parked, by the clock of the race. */
  private static final class Ticket extends ScriptedTask {
    int began;
    int ended;

    Ticket() {
      super(1, Runnable::run, _ -> Outcome.DONE);
    }
  }

  /** Permits, and a record of all calls of the threads. */
  private static final class Scuffle {
    final int count;
    final int laziness;
    final LazyPermits permits;
    final AtomicInteger clock = new AtomicInteger();
    final AtomicInteger plainHolders = new AtomicInteger();
    final AtomicInteger mostPlainHolders = new AtomicInteger();
    final AtomicInteger overdraftHolders = new AtomicInteger();
    final AtomicInteger acquired = new AtomicInteger();
    final AtomicInteger parked = new AtomicInteger();
    final AtomicInteger admitters = new AtomicInteger();
    final AtomicInteger admittersAtOnce = new AtomicInteger();
    final Queue<Ticket> waiting = new ConcurrentLinkedQueue<>();
    final Queue<Ticket> withdrawn = new ConcurrentLinkedQueue<>();
    final List<Ticket> admitted = new ArrayList<>();
    final Queue<Ticket> holders = new ConcurrentLinkedQueue<>();

    Scuffle(SplittableRandom random) {
      count = 1 + random.nextInt(5);
      laziness = random.nextInt(count + 1);
      permits = new LazyPermits(count, laziness, this::admit);
    }

    private void admit(Task task) {
      if (admitters.incrementAndGet() != 1) {
        admittersAtOnce.incrementAndGet();
      }
      Ticket ticket = (Ticket) task;
      admitted.add(ticket);
      hold(ticket);
      admitters.decrementAndGet();
    }

    private void hold(Ticket ticket) {
      mostPlainHolders.accumulateAndGet(plainHolders.incrementAndGet(), Math::max);
      holders.add(ticket);
    }

    void acquire() {
      Ticket ticket = new Ticket();
      ticket.began = clock.incrementAndGet();
      if (permits.tryAcquire(ticket)) {
        acquired.incrementAndGet();
        hold(ticket);
      } else {
        ticket.ended = clock.incrementAndGet();
        parked.incrementAndGet();
        waiting.add(ticket);
      }
    }

    /** Withdraws a parked task, unless it has been admitted meanwhile. */
    void withdraw() {
      Ticket ticket = waiting.poll();
      if (ticket != null && permits.withdraw(ticket)) {
        withdrawn.add(ticket);
      }
    }

    void overdraw() {
      permits.acquireOverdraft();
      overdraftHolders.incrementAndGet();
    }

    boolean releaseOverdraft() {
      int holding = overdraftHolders.get();
      if (holding > 0 && overdraftHolders.compareAndSet(holding, holding - 1)) {
        permits.release();
        return true;
      }
      return false;
    }

    boolean release() {
      if (holders.poll() == null) {
        return false;
      }
      plainHolders.decrementAndGet();
      permits.release();
      return true;
    }

    void step(SplittableRandom random, int acquiring) {
      int choice = random.nextInt(acquiring + 5);
      if (choice < acquiring) {
        acquire();
      } else if (choice == acquiring) {
        overdraw();
      } else if (choice == acquiring + 1) {
        releaseOverdraft();
      } else if (choice == acquiring + 2 && random.nextInt(4) == 0) {
        withdraw();
      } else {
        release();
      }
      if (random.nextInt(16) == 0) {
        LockSupport.parkNanos(1);
      }
    }

    /** Checks the invariants that hold when no thread runs. */
    void checkStill(long seed) {
      int held = plainHolders.get() + overdraftHolders.get();
      assertThat(permits.value()).as("seed %d", seed).isEqualTo(count - held);
      assertThat(permits.waiting())
          .as("seed %d", seed)
          .isEqualTo(parked.get() - admitted.size() - withdrawn.size());
      assertThat(permits.waiting() > 0 && permits.value() >= Math.max(1, laziness))
          .as("seed %d: stalled", seed)
          .isFalse();
      assertThat(mostPlainHolders.get()).as("seed %d", seed).isLessThanOrEqualTo(count);
      assertThat(admittersAtOnce).as("seed %d", seed).hasValue(0);
    }

    /** Releases all permits, and those of tasks that are admitted by that. */
    void end(long seed) {
      while (releaseOverdraft() || release()) {
        // Repeats until all are released.
      }
      assertThat(permits.value()).as("seed %d", seed).isEqualTo(count);
      assertThat(permits.inFlight()).as("seed %d", seed).isZero();
      assertThat(admitted)
          .as("seed %d", seed)
          .hasSize(parked.get() - withdrawn.size())
          .doesNotHaveDuplicates()
          .noneMatch(withdrawn::contains);
      checkOrder(seed);
    }

    /** Checks that no task was admitted before one that was certainly parked earlier. */
    private void checkOrder(long seed) {
      int latestBegin = 0;
      for (Ticket ticket : admitted) {
        assertThat(ticket.ended).as("seed %d: overtaken", seed).isGreaterThan(latestBegin);
        latestBegin = Math.max(latestBegin, ticket.began);
      }
    }
  }

  @Test
  void shouldAddUpAfterEveryScuffle() throws Exception {
    long seed = Seeds.seed();
    AtomicReference<Scuffle> arena = new AtomicReference<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    CyclicBarrier barrier = new CyclicBarrier(THREADS + 1);
    for (int t = 0; t < THREADS; t++) {
      SplittableRandom random = new SplittableRandom(seed + t + 1);
      Thread.ofPlatform().daemon().start(() -> fight(arena, barrier, random, failure));
    }
    SplittableRandom random = new SplittableRandom(seed);
    int waited = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Scuffle scuffle = new Scuffle(random);
      arena.set(scuffle);
      barrier.await(60, TimeUnit.SECONDS);
      barrier.await(60, TimeUnit.SECONDS);
      assertThat(failure.get()).as("seed %d", seed).isNull();
      scuffle.checkStill(seed);
      scuffle.end(seed);
      waited += scuffle.parked.get();
    }
    arena.set(null);
    barrier.await(60, TimeUnit.SECONDS);
    assertThat(waited).as("seed %d: no task had to wait", seed).isGreaterThan(ROUNDS);
  }

  private static void fight(
      AtomicReference<Scuffle> arena,
      CyclicBarrier barrier,
      SplittableRandom random,
      AtomicReference<Throwable> failure) {
    try {
      while (true) {
        barrier.await(60, TimeUnit.SECONDS);
        Scuffle scuffle = arena.get();
        if (scuffle == null) {
          return;
        }
        int acquiring = 1 + random.nextInt(4);
        try {
          for (int step = 0; step < STEPS; step++) {
            scuffle.step(random, acquiring);
          }
        } catch (RuntimeException | Error e) {
          failure.set(e);
        }
        barrier.await(60, TimeUnit.SECONDS);
      }
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      failure.set(e);
    }
  }
}
