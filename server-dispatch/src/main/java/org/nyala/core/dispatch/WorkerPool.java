package org.nyala.core.dispatch;

import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.nyala.core.contention.LockSite;
import org.nyala.core.contention.Threads;

/**
 * Threads that share one queue, under one lock.
 *
 * <p>Thread-safe.
 */
final class WorkerPool extends WorkQueue {
  /*
   * The thread pool of slapd (tpool.c) as it is: a mutex, a condition, a list. Every producer and
   * consumer of a task passes through the mutex, and a producer wakes a waiting thread. A queue
   * without locks would make a better pool and a worse baseline: the cost of this one is what the
   * strategies that use it are compared for. Slow hashes and tasks that wait for the disk use it
   * too, next to which its cost is negligible. Slapd's threads never yield; a task that yields here
   * waits in a fair queue, and while one does, so do tasks that arrive. Slow hashes never yield and
   * take long: all of them wait in a fair queue.
   */
  private final LockSite lock;
  private final Condition arrival;
  private final ArrayDeque<Task> arrivals = new ArrayDeque<>();
  private final FairQueue queued;
  private final boolean isFair;
  private final Thread[] threads;
  private int waiting;
  private int live;
  private boolean stopping;

  static WorkerPool start(
      WorkQueueSites sites, int threads, Throttle throttle, Route route, ThreadFactory factory) {
    return started(new WorkerPool(sites, threads, throttle, route, factory, false));
  }

  /**
   * Creates a pool for tasks that take long in their first slice, and starts its threads: each
   * owner has one slice after every other's.
   */
  static WorkerPool startFair(
      WorkQueueSites sites, int threads, Throttle throttle, Route route, ThreadFactory factory) {
    return started(new WorkerPool(sites, threads, throttle, route, factory, true));
  }

  private static WorkerPool started(WorkerPool pool) {
    for (Thread thread : pool.threads) {
      thread.start();
    }
    return pool;
  }

  private WorkerPool(
      WorkQueueSites sites,
      int count,
      Throttle throttle,
      Route route,
      ThreadFactory factory,
      boolean isFair) {
    super(sites, throttle, count, route);
    this.isFair = isFair;
    queued = isFair ? new FairQueue(1, System::nanoTime) : new FairQueue();
    lock = sites.queueLock();
    arrival = lock.newCondition();
    live = count;
    threads = new Thread[count];
    for (int i = 0; i < count; i++) {
      threads[i] = factory.newThread(this::work);
    }
  }

  @Override
  void offer(Task task) {
    boolean isDue;
    lock.lock();
    try {
      // It may have been looked for before it came: nobody would, until a thread is free.
      isDue = isFair && task.isDue();
      if (live > 0 && !isDue) {
        arrivals.addLast(QueuedTask.arriving(task, queueSite));
        if (waiting > 0) {
          arrival.signal();
          queueSite.signalled();
        }
        return;
      }
    } finally {
      lock.unlock();
    }
    if (!isDue || !endsOnLoop(task)) {
      runToEnd(task);
    }
  }

  /** Has a task end on its event loop; false if that has ended. */
  private boolean endsOnLoop(Task task) {
    try {
      task.continueOnLoop(() -> runToEnd(task));
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  @Override
  @Nullable Task remove(Task task) {
    lock.lock();
    try {
      Task arrived = FairQueue.remove(arrivals, task);
      return arrived != null ? arrived : queued.remove(task);
    } finally {
      lock.unlock();
    }
  }

  private void work() {
    Task task = take(null);
    while (task != null) {
      task = take(goesOn(task) ? task : null);
    }
  }

  /**
   * The next task; null if there will be none, and then the thread is gone.
   *
   * @param yielded a task that waits for its next slice from now on, or null
   */
  private @Nullable Task take(@Nullable Task yielded) {
    lock.lock();
    try {
      if (yielded != null) {
        queued.addYielded(QueuedTask.arriving(yielded, queueSite));
      }
      Task task = next();
      while (task == null) {
        if (stopping) {
          live--;
          return null;
        }
        waiting++;
        queueSite.asleep();
        lock.awaitUninterruptibly(arrival);
        waiting--;
        task = next();
      }
      return QueuedTask.leaving(task, queueSite);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the next task as in a stripe: one queue, until a task has yielded, unless the pool is
   * fair. Under the lock.
   */
  private @Nullable Task next() {
    Task arrived = arrivals.pollFirst();
    if (queued.isEmpty() && !isFair) {
      return arrived;
    }
    while (arrived != null) {
      queued.addArrived(arrived);
      arrived = arrivals.pollFirst();
    }
    return queued.poll();
  }

  @Override
  void endThreads() {
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
