package org.nyala.core;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits for what other threads are about to bring about, and fails the test rather than hang. The
 * bound says nothing of how long anything takes: machines that build stall for many seconds.
 */
public final class Patience {
  private static final long SECONDS = 60;
  private static final long POLL_NANOS = 100_000;

  private Patience() {}

  /** Waits until a condition holds, which is looked at again and again. */
  public static void eventually(String what, BooleanSupplier condition) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(SECONDS)) {
        throw new AssertionError("never: " + what);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Waits for a latch. */
  public static void await(CountDownLatch latch) {
    try {
      if (!latch.await(SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("waited in vain");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits for the end of a thread. */
  public static void join(Thread thread) {
    try {
      if (!thread.join(Duration.ofSeconds(SECONDS))) {
        throw new AssertionError("waited in vain for " + thread);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits for what comes of something. */
  public static <T> T get(Future<T> future) {
    try {
      return future.get(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }
}
