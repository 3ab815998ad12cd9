package org.nyala.core.dispatch;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.nyala.core.dispatch.Task.Outcome;

/**
 * The threads that compute slow password hashes, with one queue, which permits bound.
 *
 * <p>Thread-safe. Not hot: a hash that comes here takes milliseconds, next to which a plain
 * blocking queue costs nothing.
 */
final class HashPool implements Place {
  /**
   * Hashes that may run or queue, per thread: at a few milliseconds each the last one starts well
   * within a second. More connections than that wait unread.
   */
  private static final int PERMITS_PER_THREAD = 32;

  private static final int LAZINESS = 1;

  private final ThreadPoolExecutor executor;
  private final LazyPermits permits;
  private final Route route;

  HashPool(int threads, Route route, ThreadFactory factory) {
    this.permits = new LazyPermits(threads * PERMITS_PER_THREAD, LAZINESS, this::admit);
    this.route = route;
    this.executor =
        new ThreadPoolExecutor(
            threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
  }

  @Override
  public boolean enter(Task task) {
    if (permits.tryAcquire(task)) {
      submit(task);
      return true;
    }
    return false;
  }

  @Override
  public void reenter(Task task) {
    permits.acquireOverdraft();
    submit(task);
  }

  private void admit(Task task) {
    Slices.admitted(task);
    submit(task);
  }

  private void submit(Task task) {
    try {
      executor.execute(() -> runSlice(task));
    } catch (RejectedExecutionException e) {
      Slices.runToEnd(task);
      permits.release();
    }
  }

  private void runSlice(Task task) {
    if (Slices.run(task, Slices.WORKER) != Outcome.YIELDED) {
      permits.release();
      return;
    }
    Place next = route.next(task, this);
    if (next == this) {
      submit(task);
    } else {
      next.reenter(task);
      permits.release();
    }
  }

  @Override
  public int inFlight() {
    return permits.inFlight();
  }

  @Override
  public void stop() {
    executor.shutdown();
    Threads.awaitThat(executor::isTerminated);
  }
}
