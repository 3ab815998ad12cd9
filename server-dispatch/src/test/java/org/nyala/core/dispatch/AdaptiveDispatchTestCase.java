package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.nyala.core.dispatch.Task.Lane;
import org.nyala.core.dispatch.Task.Outcome;

/**
 * Tasks that advance a clock, which stands still otherwise. The test's own thread is the event
 * loop.
 */
abstract class AdaptiveDispatchTestCase {
  static final SliceBudget SOON = new SliceBudget(256, 200_000);
  static final SliceBudget EXCEPTION = new SliceBudget(16_384, 2_000_000);
  static final SliceBudget UNHURRIED = new SliceBudget(65_536, 4_000_000);

  final AtomicLong clock = new AtomicLong(1);
  final AtomicInteger looks = new AtomicInteger();

  /** The page faults of each thread. */
  final ConcurrentMap<Thread, Long> faults = new ConcurrentHashMap<>();

  final ThreadUsage usage =
      new ThreadUsage() {
        @Override
        public long majorFaults() {
          return faults.getOrDefault(Thread.currentThread(), 0L);
        }

        @Override
        public long processorNanos() {
          return computedNanos.get();
        }
      };

  /** The time that tasks computed, of any thread. */
  final AtomicLong computedNanos = new AtomicLong();

  final AdaptiveDispatch strategy =
      new AdaptiveDispatch(
          new DispatchSettings(2, 0, 4, 1, 1, Thread.ofPlatform().daemon().factory(), this::now),
          2,
          usage);

  final long now() {
    looks.incrementAndGet();
    return clock.get();
  }

  /** Returns the history of a connection that is not new. */
  static ConnectionLoopHistory old() {
    ConnectionLoopHistory history = new ConnectionLoopHistory();
    while (history.isYoung()) {
      history.growsOlder();
    }
    return history;
  }

  /** Lets the calling thread wait for the disk. */
  final void waitForDisk(long nanos) {
    clock.addAndGet(nanos);
    faults.merge(Thread.currentThread(), 1L, Long::sum);
  }

  @AfterEach
  final void close() {
    strategy.close();
  }

  /** Returns a task that ends with its first slice, after the given time. */
  final ScriptedTask taking(long nanos) {
    return new ScriptedTask(
        1,
        Runnable::run,
        _ -> {
          clock.addAndGet(nanos);
          return Outcome.DONE;
        });
  }

  /** Returns the same task of a connection with a history. */
  final ScriptedTask with(ConnectionLoopHistory history, long nanos) {
    ScriptedTask task = taking(nanos);
    task.history = history;
    return task;
  }

  final boolean startsOnTheLoop(ScriptedTask task) {
    assertThat(strategy.dispatch(task)).isTrue();
    await(task.done);
    return task.lastThread == Thread.currentThread();
  }

  /** Returns a task that continues in the lane of the hashes. */
  static ScriptedTask hash() {
    return new ScriptedTask(
        1,
        Runnable::run,
        task -> {
          task.lane = Lane.HASH;
          return task.slices.get() == 1 ? Outcome.YIELDED : Outcome.DONE;
        });
  }

  /** Returns a task that works for the given time, in slices as long as allowed. */
  final ScriptedTask working(ConnectionLoopHistory history, long nanos) {
    AtomicLong left = new AtomicLong(nanos);
    ScriptedTask task =
        new ScriptedTask(
            1,
            Runnable::run,
            self -> {
              long step = Math.min(left.get(), self.lastBudget.nanos());
              clock.addAndGet(step);
              return left.addAndGet(-step) > 0 ? Outcome.YIELDED : Outcome.DONE;
            });
    task.history = history;
    return task;
  }
}
