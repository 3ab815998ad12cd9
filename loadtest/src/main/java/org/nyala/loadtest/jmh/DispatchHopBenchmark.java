package org.nyala.loadtest.jmh;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task;
import org.nyala.core.session.OperationClass;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The cost of running an operation on another thread: one empty task there and back, and a burst of
 * them, as an event loop dispatches them, at every kind of place; run to completion is the floor.
 * Under strategies whose workers decode, places are those of the ones without {@code lightweight}
 * in their names. Confined to the benchmark's thread, but for the tasks.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DispatchHopBenchmark {
  private static final int BURST = 32;

  @Param({
    "run-to-completion",
    "adaptive",
    "striped",
    "virtual-threads",
    "multi-queue",
    "single-queue",
    "load-conditioned"
  })
  public String strategy = "striped";

  private @Nullable DispatchStrategy dispatch;
  private final EmptyTask[] tasks = new EmptyTask[BURST];
  private final EmptyTask hash = new EmptyTask(1, Task.Lane.HASH);

  /** A task that does nothing, and signals that it is done. Thread-safe. */
  private static final class EmptyTask implements Task {
    private final int connection;
    private final Lane lane;
    private volatile boolean done;

    EmptyTask(int connection, Lane lane) {
      this.connection = connection;
      this.lane = lane;
    }

    @Override
    public Outcome run(SliceBudget budget) {
      done = true;
      return Outcome.DONE;
    }

    @Override
    public Lane lane() {
      return lane;
    }

    @Override
    public int costClass() {
      return OperationClass.ENTRY_READ.number();
    }

    @Override
    public int connectionNumber() {
      return connection;
    }

    @Override
    public void admitted() {}

    @Override
    public void continueOnLoop(Runnable continuation) {
      continuation.run();
    }

    void await() {
      while (!done) {
        Thread.onSpinWait();
      }
      done = false;
    }
  }

  /** Starts the strategy's threads. */
  @Setup(Level.Trial)
  public void start() {
    dispatch = StrategyChoice.create(strategy, 0);
    for (int i = 0; i < BURST; i++) {
      tasks[i] = new EmptyTask(i + 1, Task.Lane.READ);
    }
  }

  /** Stops them. */
  @TearDown(Level.Trial)
  public void stop() {
    strategy().close();
  }

  private DispatchStrategy strategy() {
    return Objects.requireNonNull(dispatch);
  }

  /** Hands a task to a worker that may sleep, and waits for the signal that it is done. */
  @Benchmark
  public void oneTask() {
    EmptyTask task = tasks[0];
    strategy().dispatch(task);
    task.await();
  }

  /** The same with the threads that hash, which all strategies with threads have. */
  @Benchmark
  public void oneHash() {
    strategy().dispatch(hash);
    hash.await();
  }

  /** As many tasks as a busy event loop reads at once; the cost of one. */
  @Benchmark
  @OperationsPerInvocation(BURST)
  public void burst() {
    DispatchStrategy target = strategy();
    for (EmptyTask task : tasks) {
      target.dispatch(task);
    }
    for (EmptyTask task : tasks) {
      task.await();
    }
  }

  /** Hands a task to a worker that has surely gone to sleep: 200 µs later. */
  @Benchmark
  public void oneTaskAfterAPause() {
    LockSupport.parkNanos(200_000);
    oneTask();
  }
}
