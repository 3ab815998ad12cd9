package org.nyala.core.dispatch;

import java.util.Queue;
import java.util.concurrent.ThreadFactory;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;
import org.nyala.core.contention.Parker;
import org.nyala.core.contention.Threads;

/**
 * One thread with its own queue and permits.
 *
 * <p>While nothing takes longer than a slice, tasks run in the order of their arrival. A task that
 * yields goes into a {@link FairQueue}, and so do tasks that arrive from then on, so that no task
 * waits behind a slow head for longer than a slice for each owner that has work, and nothing
 * starves.
 *
 * <p>Thread-safe. Hot: a stripe that is awake is not signalled; without long tasks there is one
 * queue.
 */
final class Stripe extends WorkQueue implements Runnable {
  /** Tasks per chunk of the queue; it grows by chunks and permits bound it. */
  private static final int CHUNK = 256;

  private static final int SPINS = 64;

  private final Queue<Task> arrivals = new MpscUnboundedAtomicArrayQueue<>(CHUNK);
  private final FairQueue queued = new FairQueue();
  private final Thread thread;
  private final Parker parker;
  private volatile boolean stopped;

  static Stripe start(WorkQueueSites sites, Throttle throttle, Route route, ThreadFactory threads) {
    Stripe stripe = new Stripe(sites, throttle, route, threads);
    stripe.thread.start();
    return stripe;
  }

  private Stripe(WorkQueueSites sites, Throttle throttle, Route route, ThreadFactory threads) {
    super(sites, throttle, 1, route);
    this.parker = new Parker(arrivals, SPINS, queueSite);
    this.thread = threads.newThread(this);
  }

  /*
   * Either the producer, after its offer, sees the stripe stopped, or the stripe, after it said so, sees the offer: both sides write
   * before they read. Likewise if the stripe sleeps (Parker).
   */
  @Override
  void offer(Task task) {
    arrivals.add(QueuedTask.arriving(task, queueSite));
    parker.wake();
    if (stopped) {
      runStragglers();
    }
  }

  @Override
  public void run() {
    boolean live = true;
    while (live) {
      live = runNext() || parker.await();
    }
    stopped = true;
    runStragglers();
  }

  private boolean runNext() {
    Task next = next();
    if (next == null) {
      return false;
    }
    Task task = QueuedTask.leaving(next, queueSite);
    if (goesOn(task)) {
      queued.addYielded(QueuedTask.arriving(task, queueSite));
    }
    return true;
  }

  private @Nullable Task next() {
    Task arrived = arrivals.poll();
    if (queued.isEmpty()) {
      return arrived;
    }
    while (arrived != null) {
      queued.addArrived(arrived);
      arrived = arrivals.poll();
    }
    return queued.poll();
  }

  /** Runs tasks that were offered while the thread ended, on any thread that notices them. */
  private synchronized void runStragglers() {
    for (Task task = arrivals.poll(); task != null; task = arrivals.poll()) {
      runToEnd(QueuedTask.leaving(task, queueSite));
    }
  }

  @Override
  void endThreads() {
    parker.stop();
    Threads.join(thread);
  }
}
