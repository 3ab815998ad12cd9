package org.nyala.core.dispatch;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/**
 * The cost of an uncontended permit: lazy permits, a semaphore of the JDK, and a plain counter that
 * forbids nothing, by one, two and four threads. Thread-safe.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PermitsBenchmark {
  private static final int PERMITS = 64;

  /** The kind of object that gives out permits. */
  @Param({"lazy", "semaphore", "counter"})
  public String kind = "lazy";

  private final Task task = new WaitingTask();
  private final LazyPermits lazy = new LazyPermits(PERMITS, 1, _ -> {});
  private final Semaphore semaphore = new Semaphore(PERMITS);
  private final AtomicInteger counter = new AtomicInteger(PERMITS);
  private Runnable acquireAndRelease = () -> {};

  /** Chooses the kind of permits. */
  @Setup
  public void choose() {
    acquireAndRelease =
        switch (kind) {
          case "lazy" -> this::lazily;
          case "semaphore" -> this::bySemaphore;
          default -> this::byCounter;
        };
  }

  private void lazily() {
    if (lazy.tryAcquire(task)) {
      lazy.release();
    }
  }

  private void bySemaphore() {
    if (semaphore.tryAcquire()) {
      semaphore.release();
    }
  }

  private void byCounter() {
    counter.decrementAndGet();
    counter.incrementAndGet();
  }

  @Benchmark
  @Threads(1)
  public void oneThread() {
    acquireAndRelease.run();
  }

  @Benchmark
  @Threads(2)
  public void twoThreads() {
    acquireAndRelease.run();
  }

  @Benchmark
  @Threads(4)
  public void fourThreads() {
    acquireAndRelease.run();
  }
}
