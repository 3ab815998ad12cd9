package org.nyala.core;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for events of other threads and processes, and fails the test rather than hang. The bound
 * is no statement about durations: machines that build stall for many seconds. Thread-safe.
 */
public final class Patience {
  private static final long SECONDS = 60;
  private static final long FIRST_PAUSE_NANOS = 100_000;

  /** The longest pause between checks that cost little. */
  private static final long LONGEST_PAUSE_NANOS = 2_000_000;

  /**
   * The longest pause after a check that costs much, in multiples of the time that it took: the
   * processors are for what the test waits for, and a comparison of two servers takes much of them.
   */
  private static final int COSTLY_FACTOR = 3;

  private static final long LONGEST_COSTLY_PAUSE_NANOS = 100_000_000;

  /** A condition to wait for. */
  @FunctionalInterface
  public interface Condition<E extends Exception> {
    /** Returns whether it holds. */
    boolean holds() throws E;
  }

  /** Assertions about a state that others bring about. */
  @FunctionalInterface
  public interface Assertions<E extends Exception> {
    /** Makes them. */
    void hold() throws E;
  }

  private Patience() {}

  /**
   * Waits until a condition holds, with repeated checks.
   *
   * @param what the name of the condition, for the failure after a minute
   */
  public static <E extends Exception> void eventually(String what, Condition<E> condition)
      throws E {
    long begun = System.nanoTime();
    long pauseNanos = FIRST_PAUSE_NANOS;
    long checkNanos = begun;
    while (!condition.holds()) {
      long now = System.nanoTime();
      if (now - begun > TimeUnit.SECONDS.toNanos(SECONDS)) {
        throw new AssertionError("not within a minute: " + what);
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new AssertionError("interrupted while waiting for: " + what);
      }
      LockSupport.parkNanos(pauseNanos);
      pauseNanos = Math.min(2 * pauseNanos, longestPauseNanos(now - checkNanos));
      checkNanos = System.nanoTime();
    }
  }

  private static long longestPauseNanos(long costNanos) {
    long costlyNanos = Math.min(COSTLY_FACTOR * costNanos, LONGEST_COSTLY_PAUSE_NANOS);
    return Math.max(LONGEST_PAUSE_NANOS, costlyNanos);
  }

  /**
   * Waits until all assertions hold in one pass: for what several parts show of a state, one after
   * the other, or what may be otherwise for a moment. Fails with the last of them after a minute.
   */
  public static <E extends Exception> void eventuallyHolds(Assertions<E> assertions) throws E {
    AtomicReference<AssertionError> last = new AtomicReference<>();
    try {
      eventually(
          "all assertions hold",
          () -> {
            try {
              assertions.hold();
              return true;
            } catch (AssertionError e) {
              last.set(e);
              return false;
            }
          });
    } catch (AssertionError e) {
      e.initCause(last.get());
      throw e;
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

  /** Waits for a result. */
  public static <T> T get(Future<T> future) {
    try {
      return future.get(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }
}
