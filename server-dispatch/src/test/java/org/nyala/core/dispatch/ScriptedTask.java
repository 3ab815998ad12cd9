package org.nyala.core.dispatch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.Patience;

/**
 * A task that follows the script of a test, and detects a run at the same time as another or after
 * its end.
 */
class ScriptedTask implements Task {
  final CountDownLatch done = new CountDownLatch(1);
  final AtomicInteger admissions = new AtomicInteger();
  final AtomicInteger slices = new AtomicInteger();
  final AtomicInteger violations = new AtomicInteger();
  volatile Thread lastThread = Thread.currentThread();
  volatile SliceBudget lastBudget = new SliceBudget(1, 1);
  final List<SliceBudget> budgets = new CopyOnWriteArrayList<>();
  volatile Lane lane = Lane.READ;
  volatile Object owner = this;
  volatile @Nullable ConnectionLoopHistory history;
  volatile boolean isPipelined;
  volatile boolean isDue;

  /** The class of tasks that say nothing else. */
  static final int USUAL = 1;

  /** Another class. */
  static final int OTHER = 0;

  volatile int costClass = USUAL;
  private final int connectionNumber;
  private final Executor loop;
  private final Function<ScriptedTask, Outcome> slice;
  private final AtomicBoolean running = new AtomicBoolean();

  ScriptedTask(int connectionNumber, Executor loop, Function<ScriptedTask, Outcome> slice) {
    this.connectionNumber = connectionNumber;
    this.loop = loop;
    this.slice = slice;
  }

  /** Returns a task that ends with its first slice. */
  static ScriptedTask shortOne(int connectionNumber) {
    return new ScriptedTask(connectionNumber, Runnable::run, _ -> Outcome.DONE);
  }

  /** Returns a task that ends with its first slice, which lasts until a gate is open. */
  static ScriptedTask heldOne(int connectionNumber, Executor loop, CountDownLatch gate) {
    return new ScriptedTask(
        connectionNumber,
        loop,
        _ -> {
          Patience.await(gate);
          return Outcome.DONE;
        });
  }

  /** Returns a task of a number of slices. */
  static ScriptedTask longOne(int connectionNumber, Executor loop, int slices) {
    return new ScriptedTask(
        connectionNumber,
        loop,
        task -> task.slices.get() < slices ? Outcome.YIELDED : Outcome.DONE);
  }

  @Override
  public Outcome run(SliceBudget budget) {
    if (!running.compareAndSet(false, true) || done.getCount() == 0) {
      violations.incrementAndGet();
    }
    lastThread = Thread.currentThread();
    lastBudget = budget;
    budgets.add(budget);
    slices.incrementAndGet();
    Outcome outcome = Outcome.DONE;
    try {
      outcome = slice.apply(this);
    } finally {
      running.set(false);
      if (outcome == Outcome.DONE) {
        done.countDown();
      }
    }
    return outcome;
  }

  /** Returns whether a slice is running. */
  boolean isRunning() {
    return running.get();
  }

  @Override
  public boolean isDue() {
    return isDue;
  }

  @Override
  public Lane lane() {
    return lane;
  }

  @Override
  public int costClass() {
    return costClass;
  }

  @Override
  public int connectionNumber() {
    return connectionNumber;
  }

  @Override
  public Object owner() {
    return owner;
  }

  @Override
  public @Nullable ConnectionLoopHistory loopHistory() {
    return history;
  }

  @Override
  public boolean isPipelined() {
    return isPipelined;
  }

  @Override
  public void admitted() {
    admissions.incrementAndGet();
  }

  @Override
  public void continueOnLoop(Runnable continuation) {
    loop.execute(continuation);
  }
}
