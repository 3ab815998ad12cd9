package org.nyala.core.dispatch;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * One thread with its own queue and permits.
 *
 * <p>What yields goes behind what has arrived meanwhile, so that nothing waits behind a slow head
 * for longer than a slice; after each burst of arrivals one yielded task gets a slice, so that
 * those do not starve either.
 *
 * <p>Thread-safe. Hot: a stripe that is awake is not signalled.
 */
final class Stripe extends Place implements Runnable {
  /** Tasks per chunk of the queue; it grows by chunks and permits bound it. */
  private static final int CHUNK = 256;

  /** Arrivals that may overtake yielded tasks in a row. */
  private static final int BURST = 64;

  /**
   * Looks at an empty queue before sleeping, some microseconds in all: about what it costs a
   * producer to wake a sleeper. More would burn processors that event loops need.
   */
  private static final int SPINS = 64;

  private final Queue<Task> arrivals = new MpscUnboundedAtomicArrayQueue<>(CHUNK);
  private final ArrayDeque<Task> yielded = new ArrayDeque<>();
  private final Thread thread;
  private final AtomicBoolean asleep = new AtomicBoolean();
  private volatile boolean stopping;
  private volatile boolean stopped;

  /** Creates a stripe and starts its thread. */
  static Stripe start(int permits, int laziness, Route route, ThreadFactory threads) {
    Stripe stripe = new Stripe(permits, laziness, route, threads);
    stripe.thread.start();
    return stripe;
  }

  private Stripe(int permits, int laziness, Route route, ThreadFactory threads) {
    super(permits, laziness, 1, route);
    this.thread = threads.newThread(this);
  }

  /*
   * Either the producer, after its offer, sees the stripe asleep or stopped, or the stripe, after it said so, sees the offer: both
   * sides write before they read. (The queue's index moves by compare-and-set, and isEmpty() compares indexes.)
   */
  @Override
  void offer(Task task) {
    arrivals.add(task);
    if (stopped) {
      runStragglers();
    } else if (asleep.get() && asleep.compareAndSet(true, false)) {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void run() {
    boolean live = true;
    while (live) {
      boolean worked = runArrivals();
      worked |= runYielded();
      live = worked || awaitArrival();
    }
    stopped = true;
    runStragglers();
  }

  private boolean runArrivals() {
    for (int i = 0; i < BURST; i++) {
      Task task = arrivals.poll();
      if (task == null) {
        return i > 0;
      }
      runSlice(task);
    }
    return true;
  }

  private boolean runYielded() {
    Task task = yielded.pollFirst();
    if (task == null) {
      return false;
    }
    runSlice(task);
    return true;
  }

  private void runSlice(Task task) {
    if (goesOn(task)) {
      yielded.addLast(task);
    }
  }

  /** Waits for arrivals; false when there will be none. */
  private boolean awaitArrival() {
    for (int i = 0; i < SPINS; i++) {
      if (!arrivals.isEmpty()) {
        return true;
      }
      Thread.onSpinWait();
    }
    asleep.set(true);
    while (arrivals.isEmpty() && !stopping && asleep.get()) {
      LockSupport.park(this);
      // Nobody interrupts a stripe to any purpose, and a set flag would turn parking into spinning.
      Thread.interrupted();
    }
    asleep.set(false);
    return !stopping || !arrivals.isEmpty();
  }

  /** Runs what was offered while the thread ended, on whatever thread notices. */
  private synchronized void runStragglers() {
    for (Task task = arrivals.poll(); task != null; task = arrivals.poll()) {
      runToEnd(task);
    }
  }

  @Override
  void stop() {
    stopping = true;
    LockSupport.unpark(thread);
    Threads.join(thread);
  }
}
