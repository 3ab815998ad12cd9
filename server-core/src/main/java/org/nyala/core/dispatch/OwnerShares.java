package org.nyala.core.dispatch;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.WaitSite;

/**
 * What each owner of tasks may have of the permits of a place, so that there is always room for
 * somebody else's. Beyond it the owner's tasks wait for each other, first come, first served.
 *
 * <p>Nobody blocks, and work that is under way overdraws, as with {@link LazyPermits}. An owner
 * that holds nothing leaves nothing behind.
 *
 * <p>Thread-safe. Hot where everything goes through a place: taking and giving back is a look into
 * a table under a lock, of which there are several.
 */
final class OwnerShares {
  /*
   * Who waits, waits because its owner holds a whole share or more: each end of a task of the owner's either makes up for an overdraft
   * or hands its place to the first that waits. So nobody waits for an owner that holds nothing, and no wake-up can be lost. The one
   * that waited is admitted outside the lock.
   */

  /** Each with a table and a lock of its own; a power of two. */
  private static final int PARTS = 16;

  private final int share;
  private final Consumer<Task> admission;
  private final WaitSite site;
  private final Part[] parts = new Part[PARTS];
  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * Creates the shares of owners that hold nothing yet.
   *
   * @param share tasks of one owner that may be here at once, at least 1
   * @param admission takes each task that waited, when it has its share; called by a thread that
   *     gave one back, outside any lock
   */
  OwnerShares(int share, Consumer<Task> admission) {
    this(share, admission, Contention.UNMEASURED.waits("shares"));
  }

  /**
   * Creates the shares with a site for those that wait.
   *
   * @param site is told of each wait
   */
  OwnerShares(int share, Consumer<Task> admission, WaitSite site) {
    if (share < 1) {
      throw new IllegalArgumentException("a share of " + share);
    }
    this.share = share;
    this.admission = admission;
    this.site = site;
    for (int i = 0; i < PARTS; i++) {
      parts[i] = new Part();
    }
  }

  /**
   * Makes room for {@code task}, or lets it wait.
   *
   * @return false when the task waits
   */
  boolean tryAcquire(Task task) {
    Object owner = task.owner();
    Part part = part(owner);
    part.lock.lock();
    try {
      Account account = part.account(owner);
      if (account.held < share) {
        account.held++;
        return true;
      }
      waiting.incrementAndGet();
      account.waiters.addLast(QueuedTask.arriving(task, site));
      return false;
    } finally {
      part.lock.unlock();
    }
  }

  /** Counts work of {@code owner} that is under way, whether there is room for it or not. */
  void acquireOverdraft(Object owner) {
    Part part = part(owner);
    part.lock.lock();
    try {
      part.account(owner).held++;
    } finally {
      part.lock.unlock();
    }
  }

  /**
   * Gives back what a task of {@code owner} held, once for every time that it was taken.
   *
   * @throws IllegalStateException if the owner holds nothing
   */
  void release(Object owner) {
    Task next = part(owner).release(owner, share);
    if (next != null) {
      try {
        site.signalled();
        admission.accept(QueuedTask.leaving(next, site));
      } finally {
        // Only now: until it is counted elsewhere it counts here.
        waiting.decrementAndGet();
      }
    }
  }

  /**
   * Takes back a task that waits here.
   *
   * @return false when it does not wait here, or not any longer
   */
  boolean withdraw(Task task) {
    Object owner = task.owner();
    Part part = part(owner);
    part.lock.lock();
    try {
      Account account = part.accounts.get(owner);
      boolean waited =
          account != null && account.waiters.removeIf(queued -> QueuedTask.isFor(task, queued));
      if (waited) {
        waiting.decrementAndGet();
      }
      return waited;
    } finally {
      part.lock.unlock();
    }
  }

  /** How many tasks wait. */
  int waiting() {
    return waiting.get();
  }

  /** How many owners hold something. */
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

    /** One that nobody uses: most owners come and go one at a time. */
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

    /** Takes one from what an owner holds; the task that has its place now, or null. */
    @Nullable Task release(Object owner, int share) {
      lock.lock();
      try {
        Account account = accounts.get(owner);
        if (account == null) {
          throw new IllegalStateException("a share was given back twice");
        }
        if (account.held <= share && !account.waiters.isEmpty()) {
          return account.waiters.pollFirst();
        }
        if (--account.held == 0) {
          accounts.remove(owner);
          spare = account;
        }
        return null;
      } finally {
        lock.unlock();
      }
    }
  }

  /** What one owner holds, and who waits for it. */
  private static final class Account {
    final ArrayDeque<Task> waiters = new ArrayDeque<>(2);
    int held;
  }
}
