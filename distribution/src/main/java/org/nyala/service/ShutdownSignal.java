package org.nyala.service;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.nyala.error.ExitCode;
import org.nyala.lmdb.env.JobGuard;

/**
 * The request to end the process.
 *
 * <p>The signal (SIGTERM, SIGINT) runs a shutdown hook. The hook wakes the thread that serves,
 * waits until it has closed everything, and ends the process with exit code 0: a requested stop is
 * no failure, unless the server itself has requested it. A start that was filling a new store is
 * not waited for. Thread-safe.
 */
public final class ShutdownSignal implements AutoCloseable {
  private static final long LOOK_MILLIS = 20;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private volatile boolean obeyed;
  private volatile int exitCode = ExitCode.OK;

  private ShutdownSignal() {}

  /** Installs the handler of the signals. */
  public static ShutdownSignal install() {
    ShutdownSignal signal = new ShutdownSignal();
    Runtime.getRuntime().addShutdownHook(new Thread(signal::onShutdown, "nyala-shutdown"));
    return signal;
  }

  /**
   * Requests the end, like a signal.
   *
   * @param code the exit code of the process
   */
  public void ask(int code) {
    exitCode = code;
    asked.countDown();
  }

  public int exitCode() {
    return exitCode;
  }

  /** Waits until the end is requested. */
  public void await() throws InterruptedException {
    asked.await();
    obeyed = true;
  }

  /** Reports that everything is closed and the process may end. */
  @Override
  public void close() {
    finished.countDown();
  }

  private void onShutdown() {
    asked.countDown();
    try {
      boolean isOver = false;
      while (!isOver) {
        // A start that was to fill the store does not go on.
        isOver = finished.await(LOOK_MILLIS, TimeUnit.MILLISECONDS) || JobGuard.isAnyAbandoned();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (obeyed) {
      Runtime.getRuntime().halt(exitCode);
    }
  }
}
