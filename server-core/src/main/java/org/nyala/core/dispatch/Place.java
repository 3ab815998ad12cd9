package org.nyala.core.dispatch;

import org.nyala.core.dispatch.Task.Outcome;

/**
 * Somewhere off the event loops where tasks queue up and run under permits.
 *
 * <p>A task holds one permit of the place where it is. The place gives the permit back when the
 * task ends, awaits its client, or moves on.
 *
 * <p>Thread-safe.
 */
abstract class Place {
  /** As many permits as it takes to throttle nobody. */
  static final int UNTHROTTLED = Integer.MAX_VALUE;

  /** Says where a task goes on that has yielded. Thread-safe. */
  @FunctionalInterface
  interface Route {
    /** The place for the next slice of {@code task}, which ran its last one in {@code from}. */
    Place next(Task task, Place from);
  }

  private final LazyPermits permits;
  private final Route route;

  /**
   * Creates a place without tasks.
   *
   * @param permits tasks that may be here at once, at least 1; or {@link #UNTHROTTLED}
   * @param laziness permits that should be free before waiting tasks come in
   * @param threads threads of the place, none of which is to be idle while tasks wait
   * @param route where tasks go on
   */
  Place(int permits, int laziness, int threads, Route route) {
    this.permits =
        new LazyPermits(permits, LazyPermits.laziness(laziness, permits, threads), this::admit);
    this.route = route;
  }

  /**
   * Takes a task from an event loop.
   *
   * @return false when it waits for a permit
   */
  final boolean enter(Task task) {
    if (permits.tryAcquire(task)) {
      offer(task);
      return true;
    }
    return false;
  }

  /** Takes a task that is under way; needs no free permit. */
  final void reenter(Task task) {
    permits.acquireOverdraft();
    offer(task);
  }

  private void admit(Task task) {
    Slices.admitted(task);
    offer(task);
  }

  /** How many tasks hold or await a permit here. */
  final int inFlight() {
    return permits.inFlight();
  }

  /** Has a task run that holds its permit: in a thread of the place, or, once stopped, at once. */
  abstract void offer(Task task);

  /** Ends the threads once their queues are empty; what comes later runs on its caller. */
  abstract void stop();

  /**
   * Runs a slice of a task, which is elsewhere afterwards unless it goes on here.
   *
   * @return whether it goes on here
   */
  final boolean goesOn(Task task) {
    if (Slices.run(task, Slices.WORKER) != Outcome.YIELDED) {
      permits.release();
      return false;
    }
    Place next = route.next(task, this);
    if (next == this) {
      return true;
    }
    next.reenter(task);
    permits.release();
    return false;
  }

  /** Runs a task on a place without threads. */
  final void runToEnd(Task task) {
    Slices.runToEnd(task);
    permits.release();
  }
}
