package org.nyala.cli;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what other threads and processes bring about, in their own time. */
public final class Eventually {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** What is waited for. */
  @FunctionalInterface
  public interface Condition {
    /** Whether it is there. */
    boolean holds() throws Exception;
  }

  private Eventually() {}

  /**
   * Returns once a condition holds.
   *
   * @param what names it, for the failure after a minute
   */
  public static void eventually(String what, Condition condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new AssertionError("not within a minute: " + what);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
      if (Thread.interrupted()) {
        throw new InterruptedException(what);
      }
    }
  }

  /**
   * Returns once a server has counted so many responses: it may do so a moment after a client has
   * read them.
   */
  static void counted(RunningServer server, long responses) throws Exception {
    eventually(
        responses + " responses are counted",
        () -> server.served().directory().metrics().responsesSent().sum() >= responses);
  }
}
