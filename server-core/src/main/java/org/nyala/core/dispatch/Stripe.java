package org.nyala.core.dispatch;

import java.util.Queue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

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

  /**
   * The number of polls of an empty queue before sleeping, some microseconds in all: about the cost
   * to a producer of waking a sleeper. More would burn processors that event loops need.
   */
  private static final int SPINS = 64;

  private final Queue<Task> arrivals = new MpscUnboundedAtomicArrayQueue<>(CHUNK);
  private final FairQueue queued = new FairQueue();
  private final Thread thread;
  private final AtomicBoolean asleep = new AtomicBoolean();
  private volatile boolean stopping;
  private volatile boolean stopped;

  /** Creates a stripe and starts its thread. */
  static Stripe start(WorkQueueSites sites, Throttle throttle, Route route, ThreadFactory threads) {
    Stripe stripe = new Stripe(sites, throttle, route, threads);
    stripe.thread.start();
    return stripe;
  }

  private Stripe(WorkQueueSites sites, Throttle throttle, Route route, ThreadFactory threads) {
    super(sites, throttle, 1, route);
    this.thread = threads.newThread(this);
  }

  /*
   * Either the producer, after its offer, sees the stripe asleep or stopped, or the stripe, after it said so, sees the offer: both
   * sides write before they read. (The queue's index moves by compare-and-set, and isEmpty() compares indexes.)
   */
  @Override
  void offer(Task task) {
    arrivals.add(QueuedTask.arriving(task, queueSite));
    if (stopped) {
      runStragglers();
    } else if (asleep.get() && asleep.compareAndSet(true, false)) {
      queueSite.signalled();
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void run() {
    boolean live = true;
    while (live) {
      live = runNext() || awaitArrival();
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

  /** Waits for arrivals; false if there will be none. */
  private boolean awaitArrival() {
    for (int i = 0; i < SPINS; i++) {
      if (!arrivals.isEmpty()) {
        return true;
      }
      Thread.onSpinWait();
    }
    asleep.set(true);
    queueSite.asleep();
    while (arrivals.isEmpty() && !stopping && asleep.get()) {
      LockSupport.park(this);
      // This thread is never interrupted on purpose, and a set flag would turn parking into
      // spinning.
      Thread.interrupted();
    }
    asleep.set(false);
    return !stopping || !arrivals.isEmpty();
  }

  /** Runs tasks that were offered while the thread ended, on any thread that notices them. */
  private synchronized void runStragglers() {
    for (Task task = arrivals.poll(); task != null; task = arrivals.poll()) {
      runToEnd(QueuedTask.leaving(task, queueSite));
    }
  }

  @Override
  void endThreads() {
    stopping = true;
    LockSupport.unpark(thread);
    Threads.join(thread);
  }
}
