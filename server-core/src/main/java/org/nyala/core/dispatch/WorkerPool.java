package org.nyala.core.dispatch;

import java.util.ArrayDeque;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Threads that share one queue, under one lock.
 *
 * <p>Thread-safe.
 */
final class WorkerPool extends Place {
  /*
   * The thread pool of slapd (tpool.c) as it is: a mutex, a condition, a list. Everybody who brings or takes a task passes through
   * the mutex, and who brings one wakes a thread that waits. A queue without locks would make a better pool and a worse baseline:
   * what this one costs is what the strategies that use it are to be compared for. Slow hashes use it too, next to which it costs
   * nothing.
   */
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrival = lock.newCondition();
  private final ArrayDeque<Task> queue = new ArrayDeque<>();
  private final Thread[] threads;
  private int waiting;
  private int live;
  private boolean stopping;

  /** Creates a pool and starts its threads. */
  static WorkerPool start(
      int threads, int permits, int laziness, Route route, ThreadFactory factory) {
    WorkerPool pool = new WorkerPool(threads, permits, laziness, route, factory);
    for (Thread thread : pool.threads) {
      thread.start();
    }
    return pool;
  }

  private WorkerPool(int count, int permits, int laziness, Route route, ThreadFactory factory) {
    super(permits, laziness, count, route);
    live = count;
    threads = new Thread[count];
    for (int i = 0; i < count; i++) {
      threads[i] = factory.newThread(this::work);
    }
  }

  @Override
  void offer(Task task) {
    lock.lock();
    try {
      if (live > 0) {
        queue.addLast(task);
        if (waiting > 0) {
          arrival.signal();
        }
        return;
      }
    } finally {
      lock.unlock();
    }
    runToEnd(task);
  }

  private void work() {
    for (Task task = take(); task != null; task = take()) {
      if (goesOn(task)) {
        offer(task);
      }
    }
  }

  /** The next task; null when there will be none, and then the thread is gone. */
  private @Nullable Task take() {
    lock.lock();
    try {
      while (queue.isEmpty()) {
        if (stopping) {
          live--;
          return null;
        }
        waiting++;
        arrival.awaitUninterruptibly();
        waiting--;
      }
      return queue.removeFirst();
    } finally {
      lock.unlock();
    }
  }

  @Override
  void stop() {
    lock.lock();
    try {
      stopping = true;
      arrival.signalAll();
    } finally {
      lock.unlock();
    }
    for (Thread thread : threads) {
      Threads.join(thread);
    }
  }
}
