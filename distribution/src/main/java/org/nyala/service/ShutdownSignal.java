package org.nyala.service;

import java.util.concurrent.CountDownLatch;
import org.nyala.error.ExitCode;

/**
 * The moment at which the process is asked to end.
 *
 * <p>The signal (SIGTERM, SIGINT) runs a shutdown hook. The hook wakes the thread that serves,
 * waits until that has put everything in order, and ends the process with exit code 0: to stop when
 * asked to is no failure. Thread-safe.
 */
public final class ShutdownSignal implements AutoCloseable {
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private volatile boolean obeyed;

  private ShutdownSignal() {}

  /** Listens for signals from now on. */
  public static ShutdownSignal install() {
    ShutdownSignal signal = new ShutdownSignal();
    Runtime.getRuntime().addShutdownHook(new Thread(signal::onShutdown, "nyala-shutdown"));
    return signal;
  }

  /** Asks as a signal does. */
  public void ask() {
    asked.countDown();
  }

  /** Waits until the process is asked to end. */
  public void await() throws InterruptedException {
    asked.await();
    obeyed = true;
  }

  /** Everything is in order, the process may end. */
  @Override
  public void close() {
    finished.countDown();
  }

  private void onShutdown() {
    asked.countDown();
    try {
      finished.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (obeyed) {
      Runtime.getRuntime().halt(ExitCode.OK);
    }
  }
}
