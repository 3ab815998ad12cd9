package org.nyala.core.dispatch;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/**
 * The cost of a task that may have to wait for its permit, by laziness: bursts of twice as many
 * tasks as there are permits, by one, two and four threads. Thread-safe.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LazinessBenchmark {
  private static final int PERMITS = 16;
  private static final int BURST = 2 * PERMITS;

  /** The number of permits that must be free before waiters are admitted. */
  @Param({"1", "4", "16"})
  public int laziness = 1;

  private final ConcurrentLinkedQueue<Task> ready = new ConcurrentLinkedQueue<>();
  private LazyPermits permits = new LazyPermits(PERMITS, 1, ready::add);

  /** Creates the permits with this laziness. */
  @Setup
  public void start() {
    permits = new LazyPermits(PERMITS, laziness, ready::add);
  }

  @Benchmark
  @OperationsPerInvocation(BURST)
  @Threads(1)
  public void oneThread() {
    burst();
  }

  @Benchmark
  @OperationsPerInvocation(BURST)
  @Threads(2)
  public void twoThreads() {
    burst();
  }

  @Benchmark
  @OperationsPerInvocation(BURST)
  @Threads(4)
  public void fourThreads() {
    burst();
  }

  /**
   * Starts as many tasks as it ends; a task that had to wait is ended by the thread that polls it.
   */
  private void burst() {
    int held = 0;
    for (int i = 0; i < BURST; i++) {
      held += permits.tryAcquire(new WaitingTask()) ? 1 : 0;
    }
    for (int ended = 0; ended < BURST; ) {
      if (held > 0) {
        held--;
        ended++;
        permits.release();
      } else if (ready.poll() != null) {
        ended++;
        permits.release();
      } else {
        Thread.onSpinWait();
      }
    }
  }
}
