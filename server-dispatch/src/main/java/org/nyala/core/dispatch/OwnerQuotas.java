package org.nyala.core.dispatch;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.contention.WaitSite;

/**
 * Each owner's share of the permits of a place, so that there is always room for tasks of other
 * owners. Beyond it the owner's tasks wait for each other, first come, first served.
 *
 * <p>A few owners of long tasks can hold all permits for seconds. A task whose owner has nothing at
 * work then takes one of some reserved permits, so that it has its turns beside theirs at once.
 *
 * <p>No thread blocks, and work under way overdraws, as with {@link LazyPermits}. An owner that
 * holds nothing leaves nothing behind.
 *
 * <p>Thread-safe. Hot if every task goes through a place: taking and giving back is a look-up in a
 * table under a lock, of which there are several.
 */
final class OwnerQuotas {
  /*
   * A task waits for a share only while its owner holds a full share or more: when one of the
   * owner's tasks ends, it either repays an overdraft or admits the first waiter. So no task waits
   * for an owner that holds nothing, and no wake-up can be lost. The waiter is admitted outside the
   * lock.
   *
   * An owner has one reserved permit at most, and only while something of it is at work; which of
   * its tasks took it does not matter. The others take permits in the order of their arrival, which
   * tasks with reserved ones do not delay.
   *
   * Permits are taken under the lock of the part, and given back outside, because giving back
   * admits others.
   */

  /** Each with a table and a lock of its own; a power of two. */
  private static final int PARTS = 16;

  private final int share;
  private final LazyPermits permits;
  private final int reserve;
  private final Consumer<Task> admission;
  private final WaitSite site;
  private final Part[] parts = new Part[PARTS];
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger reserved = new AtomicInteger();

  /**
   * Creates the shares of owners that hold nothing yet.
   *
   * @param share tasks of one owner that may be here at once, at least 1
   * @param permits the permits, taken by tasks that have their share; their admission calls {@link
   *     #granted}
   * @param reserve the number of owners that may have a permit of their own if there is no other,
   *     at least 0
   * @param admission takes each task that waited for its share and has its permit as well; called
   *     by a thread that gave one back, outside any lock
   * @param site records each wait for a share
   */
  OwnerQuotas(
      int share, LazyPermits permits, int reserve, Consumer<Task> admission, WaitSite site) {
    if (share < 1) {
      throw new IllegalArgumentException("a share of " + share);
    }
    this.share = share;
    this.permits = permits;
    this.reserve = reserve;
    this.admission = admission;
    this.site = site;
    for (int i = 0; i < PARTS; i++) {
      parts[i] = new Part();
    }
  }

  /**
   * Makes room for {@code task} and takes a permit, or queues it for either.
   *
   * @return false if the task waits
   */
  boolean tryAcquire(Task task) {
    Part part = part(task.owner());
    part.lock.lock();
    try {
      Account account = part.account(task.owner());
      if (account.held < share) {
        account.held++;
        return takesPermit(account, task);
      }
      waiting.incrementAndGet();
      account.waiters.put(task, QueuedTask.arriving(task, site));
      return false;
    } finally {
      part.lock.unlock();
    }
  }

  /** Takes a permit for a task that has its share, or queues it for one; under the lock. */
  private boolean takesPermit(Account account, Task task) {
    if (permits.tryAcquireNow()) {
      account.atWork++;
      return true;
    }
    if (account.atWork == 0 && takesReserved()) {
      account.isReserved = true;
      account.atWork++;
      return true;
    }
    if (permits.tryAcquire(task)) {
      account.atWork++;
      return true;
    }
    account.parked.add(task);
    return false;
  }

  /**
   * Takes a reserved permit for a task that waits for another, if nothing of its owner is at work
   * any more: it may have come just before its predecessor had left. Under the lock.
   */
  private @Nullable Task revive(Account account) {
    if (account.atWork > 0 || account.parked.isEmpty() || !takesReserved()) {
      return null;
    }
    while (!account.parked.isEmpty()) {
      Task task = account.parked.removeFirst();
      if (permits.withdraw(task)) {
        account.isReserved = true;
        account.atWork++;
        return task;
      }
    }
    reserved.decrementAndGet();
    return null;
  }

  private boolean takesReserved() {
    int taken;
    do {
      taken = reserved.get();
      if (taken >= reserve) {
        return false;
      }
    } while (!reserved.compareAndSet(taken, taken + 1));
    return true;
  }

  /** Records that a task has got the permit for which it waited. */
  void granted(Task task) {
    Part part = part(task.owner());
    part.lock.lock();
    try {
      Account account = part.account(task.owner());
      account.parked.remove(task);
      account.atWork++;
    } finally {
      part.lock.unlock();
    }
  }

  /** Counts work of {@code owner} that is under way, whether there is room for it or not. */
  void acquireOverdraft(Object owner) {
    // First, or another task of the owner's might give it back before it is taken.
    permits.acquireOverdraft();
    Part part = part(owner);
    part.lock.lock();
    try {
      Account account = part.account(owner);
      account.held++;
      account.atWork++;
    } finally {
      part.lock.unlock();
    }
  }

  /**
   * Gives back the permit of a task of {@code owner}, once for each time that it was taken.
   *
   * @throws IllegalStateException if the owner holds nothing
   */
  void release(Object owner) {
    Part part = part(owner);
    Task next;
    Task revived;
    boolean isIn;
    boolean wasReserved;
    part.lock.lock();
    try {
      Account account = part.accounts.get(owner);
      if (account == null || account.atWork == 0) {
        throw new IllegalStateException("a share was given back twice");
      }
      wasReserved = account.leaves();
      if (wasReserved) {
        reserved.decrementAndGet();
      }
      next = vacate(part, account, owner);
      isIn = next != null && takesPermit(account, next);
      revived = revive(account);
    } finally {
      part.lock.unlock();
    }
    try {
      if (!wasReserved) {
        permits.release();
      }
    } finally {
      admit(next, isIn);
      if (revived != null) {
        admission.accept(revived);
      }
    }
  }

  /**
   * Takes one from the holdings of an owner, and returns the task that now has its place, or null.
   */
  private @Nullable Task vacate(Part part, Account account, Object owner) {
    if (account.held <= share && !account.waiters.isEmpty()) {
      return QueuedTask.leaving(account.waiters.pollFirstEntry().getValue(), site);
    }
    if (--account.held == 0) {
      part.accounts.remove(owner);
      part.spare = account;
    }
    return null;
  }

  /**
   * Admits a task that got the share for which it waited.
   *
   * @param isIn true if it has a permit as well, for which it waits otherwise
   */
  private void admit(@Nullable Task next, boolean isIn) {
    if (next != null) {
      try {
        site.signalled();
        if (isIn) {
          admission.accept(next);
        }
      } finally {
        // Only now: until it is counted elsewhere it counts here.
        waiting.decrementAndGet();
      }
    }
  }

  /**
   * Takes back a task that waits for its share or for a permit.
   *
   * @return false if it does not wait here, or not any longer
   */
  boolean withdraw(Task task) {
    Object owner = task.owner();
    Part part = part(owner);
    Task next;
    boolean isIn;
    part.lock.lock();
    try {
      Account account = part.accounts.get(owner);
      if (account == null) {
        return false;
      }
      if (account.waiters.remove(task) != null) {
        waiting.decrementAndGet();
        return true;
      }
      if (!permits.withdraw(task)) {
        return false;
      }
      account.parked.remove(task);
      next = vacate(part, account, owner);
      isIn = next != null && takesPermit(account, next);
    } finally {
      part.lock.unlock();
    }
    admit(next, isIn);
    return true;
  }

  /** Returns the number of waiting tasks. */
  int waiting() {
    return waiting.get();
  }

  /** Returns the number of tasks with a reserved permit. */
  int reserved() {
    return reserved.get();
  }

  /** Returns the number of owners that hold something. */
  int owners() {
    int sum = 0;
    for (Part part : parts) {
      part.lock.lock();
      try {
        sum += part.accounts.size();
      } finally {
        part.lock.unlock();
      }
    }
    return sum;
  }

  private Part part(Object owner) {
    int hash = owner.hashCode();
    return parts[(hash ^ hash >>> 16 ^ hash >>> 8) & PARTS - 1];
  }

  /** Some of the owners. */
  private static final class Part {
    final ReentrantLock lock = new ReentrantLock();
    final HashMap<Object, Account> accounts = new HashMap<>();

    /** A spare unused account: most owners come and go one at a time. */
    private @Nullable Account spare;

    Account account(Object owner) {
      Account known = accounts.get(owner);
      if (known != null) {
        return known;
      }
      Account account = spare != null ? spare : new Account();
      spare = null;
      accounts.put(owner, account);
      return account;
    }
  }

  /** The tasks of one owner. */
  private static final class Account {
    /** The tasks that wait for their share. */
    final LinkedHashMap<Task, Task> waiters = new LinkedHashMap<>(2);

    /** The tasks that have their share and wait for a permit. */
    final LinkedHashSet<Task> parked = new LinkedHashSet<>(2);

    /** The number of tasks that have their share, including those that wait for a permit. */
    int held;

    /** The number of tasks that have their permit. */
    int atWork;

    /** True if one of those permits is a reserved one. */
    boolean isReserved;

    /** Takes one from the tasks at work, and returns whether it had the reserved permit. */
    boolean leaves() {
      atWork--;
      boolean wasReserved = isReserved && atWork == 0;
      isReserved &= !wasReserved;
      return wasReserved;
    }
  }
}
