package org.nyala.core.dispatch;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.WaitSite;

/**
 * A set of permits to work, for which tasks wait first come, first served.
 *
 * <p>No thread blocks: a task that finds no permit is parked and handed to the admission once it
 * has one. Work already under way overdraws instead of waiting, so that it can always end and
 * return its permit.
 *
 * <p>Thread-safe. Hot: acquiring and releasing is one compare-and-set while no task waits.
 */
final class LazyPermits {
  /*
   * After the lazy semaphore of ITS#3975: waiters stay asleep until `laziness` permits are free,
   * then all free permits are handed out at once, which spares a wake-up per release. Newcomers
   * line up behind waiters even when a permit is free, or the first in line would starve. No stall:
   * laziness never exceeds the number of permits, so that all permits free is always enough.
   *
   * One word holds both numbers, so that "is one free and does no task wait" is one decision: the
   * upper half is the value, which an overdraft makes negative, the lower half the number of
   * waiters. The queue itself changes under the lock only.
   *
   * Granting and admitting are two steps, because the admission runs outside the lock. Only one
   * thread at a time admits; others that release meanwhile leave the waiters to it, and it checks
   * again before it stops. So waiters are admitted in their order by any releasing thread, and an
   * admission that releases at once does not nest.
   */
  private static final System.Logger LOG = System.getLogger(LazyPermits.class.getName());

  private static final long ONE_PERMIT = 1L << 32;
  private static final long ONE_WAITER = 1;

  private final int permits;
  private final int laziness;
  private final Consumer<Task> admission;
  private final WaitSite site;
  private final AtomicLong state;
  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashMap<Task, Task> waiters = new LinkedHashMap<>();

  /**
   * The tasks that have their permit and are yet to be admitted; belongs to the thread that admits.
   */
  private final ArrayDeque<Task> granted = new ArrayDeque<>();

  /** True while a thread admits; changes under the lock only. */
  private boolean admitting;

  /**
   * Creates the permits, all of them free.
   *
   * @param permits the number of permits, at least 1
   * @param laziness the number that must be free before waiters are admitted, 0 to {@code permits};
   *     0 is the same as 1, since admission needs a permit
   * @param admission takes each task that waited and now holds a permit, in the order in which they
   *     were parked; called by a thread that released, outside any lock, never by two threads at
   *     once and never from inside itself
   */
  LazyPermits(int permits, int laziness, Consumer<Task> admission) {
    this(permits, laziness, admission, Contention.UNMEASURED.waits("permits"));
  }

  /**
   * Creates the permits with a site for waiting tasks.
   *
   * @param site records each wait and each admission of waiters, not permits that were free
   */
  LazyPermits(int permits, int laziness, Consumer<Task> admission, WaitSite site) {
    if (permits < 1 || laziness < 0 || laziness > permits) {
      throw new IllegalArgumentException(permits + " permits, laziness " + laziness);
    }
    this.permits = permits;
    this.laziness = Math.max(1, laziness);
    this.admission = admission;
    this.site = site;
    this.state = new AtomicLong(permits * ONE_PERMIT);
  }

  /**
   * Returns the laziness that leaves no worker idle while a task waits: as many permits as there
   * are workers must be in use before tasks are kept waiting.
   *
   * @param wanted the configured laziness, at least 0
   * @param permits the number of permits
   * @param workers the number of threads that serve their holders
   */
  static int laziness(int wanted, int permits, int workers) {
    return Math.clamp(permits - workers, 1, Math.max(1, wanted));
  }

  /**
   * Takes a permit for {@code task}, or parks it.
   *
   * @return false if the task is parked
   * @throws IllegalStateException if it is parked already
   */
  boolean tryAcquire(Task task) {
    return tryAcquireNow() || acquireOrPark(task);
  }

  /**
   * Takes a permit if one is free and no task waits.
   *
   * @return false if there is none; then nothing has changed
   */
  boolean tryAcquireNow() {
    for (long s = state.get(); isOpen(s); s = state.get()) {
      if (state.compareAndSet(s, s - ONE_PERMIT)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Takes back a task that is parked.
   *
   * @return false if it is not parked, or has been granted a permit meanwhile
   */
  boolean withdraw(Task task) {
    lock.lock();
    try {
      boolean waited = waiters.remove(task) != null;
      if (waited) {
        state.addAndGet(-ONE_WAITER);
      }
      return waited;
    } finally {
      lock.unlock();
    }
  }

  private boolean acquireOrPark(Task task) {
    lock.lock();
    try {
      if (waiters.containsKey(task)) {
        throw new IllegalStateException("a task waits twice");
      }
      while (true) {
        long s = state.get();
        if (isOpen(s)) {
          if (state.compareAndSet(s, s - ONE_PERMIT)) {
            return true;
          }
        } else if (state.compareAndSet(s, s + ONE_WAITER)) {
          waiters.put(task, QueuedTask.arriving(task, site));
          return false;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes a permit whether one is free or not, for work that is under way. */
  void acquireOverdraft() {
    state.addAndGet(-ONE_PERMIT);
  }

  /**
   * Gives a permit back, once for every permit taken.
   *
   * @throws IllegalStateException if more were given back than taken; then nothing has changed
   */
  void release() {
    long s;
    do {
      s = state.get();
      if (value(s) >= permits) {
        throw new IllegalStateException("a permit was released twice");
      }
    } while (!state.compareAndSet(s, s + ONE_PERMIT));
    if (waiting(s) > 0 && value(s) + 1 >= laziness) {
      admitWaiters();
    }
  }

  private void admitWaiters() {
    if (!beginAdmitting()) {
      return;
    }
    while (grantNext()) {
      for (Task task = granted.pollFirst(); task != null; task = granted.pollFirst()) {
        admit(task);
      }
    }
  }

  private boolean beginAdmitting() {
    lock.lock();
    try {
      boolean begins = !admitting;
      admitting = true;
      return begins;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Grants free permits to waiters; returns false, and ends the admission, if there is nothing to
   * grant.
   */
  private boolean grantNext() {
    lock.lock();
    try {
      int count = grant();
      for (int i = 0; i < count; i++) {
        granted.addLast(QueuedTask.leaving(waiters.pollFirstEntry().getValue(), site));
      }
      if (count > 0) {
        site.signalled();
      }
      admitting = count > 0;
      return admitting;
    } finally {
      lock.unlock();
    }
  }

  private void admit(Task task) {
    try {
      admission.accept(task);
    } catch (Throwable e) {
      // The tasks behind it hold permits as well: one that fails must not take them with it.
      LOG.log(System.Logger.Level.ERROR, "a task that had its permit could not be admitted", e);
    }
  }

  /** Takes permits for as many waiters as there are free permits; how many. Under the lock. */
  private int grant() {
    while (true) {
      long s = state.get();
      int granted = value(s) < laziness ? 0 : Math.min(value(s), waiting(s));
      if (state.compareAndSet(s, s - granted * (ONE_PERMIT + ONE_WAITER))) {
        return granted;
      }
    }
  }

  /** Returns the number of free permits; negative when overdrawn. */
  int value() {
    return value(state.get());
  }

  /** Returns the number of waiting tasks. */
  int waiting() {
    return waiting(state.get());
  }

  /** Returns the number of taken permits and waiting tasks, together. */
  int inFlight() {
    long s = state.get();
    return permits - value(s) + waiting(s);
  }

  private static boolean isOpen(long s) {
    return waiting(s) == 0 && value(s) > 0;
  }

  private static int value(long s) {
    return (int) (s >> 32);
  }

  private static int waiting(long s) {
    return (int) s;
  }
}
