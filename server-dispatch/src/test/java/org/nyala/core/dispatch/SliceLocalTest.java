package org.nyala.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.await;
import static org.nyala.core.Patience.join;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.nyala.core.dispatch.Task.Outcome;

class SliceLocalTest {
  private static final int TASKS = 5_000;

  private final AtomicInteger made = new AtomicInteger();
  private final SliceLocal<AtomicBoolean> local =
      new SliceLocal<>(
          () -> {
            made.incrementAndGet();
            return new AtomicBoolean();
          });

  private Outcome useAlone(ScriptedTask task, AtomicInteger shared) {
    AtomicBoolean inUse = local.get();
    if (!inUse.compareAndSet(false, true)) {
      shared.incrementAndGet();
    }
    LockSupport.parkNanos(1_000);
    if (local.get() != inUse) {
      shared.incrementAndGet();
    }
    inUse.set(false);
    return task.slices.get() < 3 ? Outcome.YIELDED : Outcome.DONE;
  }

  @Test
  void shouldLendSlicesOnVirtualThreadsOneEachAndFewInAll() {
    AtomicInteger shared = new AtomicInteger();
    int permits = 16;
    DispatchStrategy strategy =
        DispatchStrategies.create(
            "virtual-threads",
            new DispatchSettings(1, 0, permits, 1, 1, Thread::new, System::nanoTime));
    List<ScriptedTask> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(new ScriptedTask(i, Runnable::run, task -> useAlone(task, shared)));
      strategy.dispatch(tasks.getLast());
    }
    for (ScriptedTask task : tasks) {
      await(task.done);
    }
    strategy.close();
    assertThat(shared).hasValue(0);
    // A slice releases its permit before its local: there are some more locals than permits.
    assertThat(made.get()).isBetween(1, 8 * permits);
  }

  @Test
  void shouldKeepOneForEachPlatformThread() {
    AtomicBoolean mine = local.get();
    assertThat(local.get()).isSameAs(mine);
    List<AtomicBoolean> others = new ArrayList<>();
    Thread other = new Thread(() -> others.addAll(List.of(local.get(), local.get())));
    other.start();
    join(other);
    assertThat(others.getFirst()).isSameAs(others.getLast()).isNotSameAs(mine);
    assertThat(made).hasValue(2);
  }
}
