package org.nyala.core.contention;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits at the end of things: for threads to end, for work to drain. Interrupts are kept. */
public final class Threads {
  private static final long POLL_NANOS = 200_000;

  private Threads() {}

  /** Waits until {@code thread} has ended. */
  public static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    restore(interrupted);
  }

  /** Waits until {@code condition} holds. */
  public static void awaitThat(BooleanSupplier condition) {
    boolean interrupted = false;
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(POLL_NANOS);
      interrupted |= Thread.interrupted();
    }
    restore(interrupted);
  }

  private static void restore(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
