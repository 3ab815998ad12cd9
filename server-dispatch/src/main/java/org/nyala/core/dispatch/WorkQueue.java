package org.nyala.core.dispatch;

import org.jspecify.annotations.Nullable;
import org.nyala.core.contention.WaitSite;
import org.nyala.core.dispatch.Task.Outcome;

/**
 * A queue off the event loops whose tasks run under permits.
 *
 * <p>A task holds one permit of the queue that it is in, out of its owner's share of them. The
 * queue releases both when the task ends, awaits its client, or moves on.
 *
 * <p>Thread-safe.
 */
abstract class WorkQueue {
  /** The way of a task from slice to slice. Thread-safe. */
  interface Route {
    /** Runs a slice of {@code task}. */
    Outcome run(Task task);

    /** The place for the next slice of {@code task}, which ran its last one in {@code from}. */
    WorkQueue next(Task task, WorkQueue from);
  }

  private final LazyPermits permits;
  private final WorkQueueSites sites;

  /** To be passed by every task on its way through the queue of the place. */
  final WaitSite queueSite;

  private final @Nullable OwnerQuotas shares;
  private final Route route;

  /**
   * Creates a place without tasks.
   *
   * @param sites the factory of the sites; closed with the place
   * @param throttle the limit of tasks in the place
   * @param threads the number of threads of the place, none of which is to be idle while tasks wait
   * @param route the route by which tasks continue
   */
  WorkQueue(WorkQueueSites sites, Throttle throttle, int threads, Route route) {
    this.sites = sites;
    this.queueSite = sites.queue();
    int count = throttle.permits();
    this.permits =
        new LazyPermits(
            count,
            LazyPermits.laziness(throttle.laziness(), count, threads),
            this::admitWithPermit,
            sites.permits());
    int share = throttle.ownerShare(threads);
    this.shares =
        share == 0
            ? null
            : new OwnerQuotas(share, permits, throttle.reserve(), this::admit, sites.shares());
    this.route = route;
  }

  /**
   * Takes a task from an event loop.
   *
   * @return false if it waits for a permit, or for its owner's share of them
   */
  final boolean enter(Task task) {
    if (shares == null ? permits.tryAcquire(task) : shares.tryAcquire(task)) {
      offer(task);
      return true;
    }
    return false;
  }

  private void admitWithPermit(Task task) {
    if (shares != null) {
      shares.granted(task);
    }
    admit(task);
  }

  /**
   * Takes back a task that waits.
   *
   * @return false if it does not wait here, or not any longer
   */
  final boolean withdraw(Task task) {
    return shares == null ? permits.withdraw(task) : shares.withdraw(task);
  }

  /**
   * Takes back a task that waits for a permit, or with one for a thread.
   *
   * @return false if it does not wait here, or not any longer
   */
  final boolean recall(Task task) {
    if (withdraw(task)) {
      return true;
    }
    Task queued = remove(task);
    if (queued != null) {
      leave(queued.owner());
    }
    return queued != null;
  }

  /** Takes what stands for a task out of the queue; null if it is not there. */
  @Nullable Task remove(Task task) {
    return null;
  }

  /** Takes a task that is under way; needs no free permit. */
  final void reenter(Task task) {
    if (shares == null) {
      permits.acquireOverdraft();
    } else {
      shares.acquireOverdraft(task.owner());
    }
    offer(task);
  }

  private void admit(Task task) {
    Slices.admitted(task);
    offer(task);
  }

  /** Returns the number of tasks that hold or await a permit here. */
  final int inFlight() {
    return permits.inFlight() + (shares == null ? 0 : shares.reserved() + shares.waiting());
  }

  /** Runs a task that holds its permit: in a thread of the place, or, once stopped, at once. */
  abstract void offer(Task task);

  /** Ends the threads once their queues are empty; later tasks run on their caller. */
  final void stop() {
    endThreads();
    sites.close();
  }

  /** Ends the threads once their queues are empty. */
  abstract void endThreads();

  /**
   * Runs a slice of a task, which is elsewhere afterwards unless it goes on here.
   *
   * @return true if it goes on here
   */
  final boolean goesOn(Task task) {
    Object owner = task.owner();
    if (route.run(task) != Outcome.YIELDED) {
      leave(owner);
      return false;
    }
    WorkQueue next = route.next(task, this);
    if (next == this) {
      return true;
    }
    next.reenter(task);
    leave(owner);
    return false;
  }

  /** Runs a task on a place without threads. */
  final void runToEnd(Task task) {
    Object owner = task.owner();
    Slices.runToEnd(task);
    leave(owner);
  }

  /** One of the owner's tasks is gone. */
  private void leave(Object owner) {
    if (shares == null) {
      permits.release();
    } else {
      shares.release(owner);
    }
  }
}
