package org.nyala.core.policy;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The failures of any number of keys in a table of fixed size: each key has a debt, which a failure
 * raises and time repays.
 *
 * <p>A key has a cell in each of two rows, by a keyed hash, and its debt is the lower one of the
 * two. Nothing is ever evicted: other keys can raise the debt of a key, if they share both cells,
 * but never lower it, however many of them there are. A thousand spent keys raise the debt of one
 * key in 4,000 others.
 *
 * <p>Thread-safe: the charges of one key come one after the other. Allocates nothing. While nobody
 * has a debt, a key costs one read.
 */
final class FailureTable {
  /** Keys with a debt at one time are far fewer: each failure has taken a hash. */
  private static final int CELLS = 1 << 16;

  private static final int MASK = CELLS - 1;
  private static final int LOCKS = 64;

  /** Bits of a {@linkplain #take charge}: the cells that were raised, and that there is one. */
  static final int REFUSED = 0;

  private static final int TAKEN = 1;
  private static final int FIRST = 2;
  private static final int SECOND = 4;

  /** The times at which the debts are repaid, in nanoseconds. */
  private final AtomicLongArray first = new AtomicLongArray(CELLS);

  private final AtomicLongArray second = new AtomicLongArray(CELLS);
  private final Object[] locks = new Object[LOCKS];

  /** The time at which all debts are repaid. */
  private final AtomicLong latest = new AtomicLong(Long.MIN_VALUE);

  FailureTable() {
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new Object();
    }
  }

  private static int firstCell(long mark) {
    return (int) mark & MASK;
  }

  private static int secondCell(long mark) {
    return (int) (mark >>> 32) & MASK;
  }

  /** Returns the debt of a key, in nanoseconds. */
  private long debt(long mark, long now) {
    long repaid = Math.min(first.get(firstCell(mark)), second.get(secondCell(mark)));
    return Math.max(0, repaid - now);
  }

  /**
   * Returns whether a key has no room for another failure.
   *
   * @param mark the keyed hash of the key
   * @param each the debt of one failure, in nanoseconds
   * @param most the failures that there is room for, at least 1
   * @param now nanoseconds since the table was made
   */
  boolean isSpent(long mark, long each, int most, long now) {
    return latest.get() > now && debt(mark, now) > each * (most - 1);
  }

  /**
   * Charges a failure to a key, unless it is {@linkplain #isSpent spent}.
   *
   * @return {@link #REFUSED}, or the charge, to give back
   */
  int take(long mark, long each, int most, long now) {
    long ceiling = now + 2 * each * most;
    synchronized (locks[(int) (mark >>> 48) & LOCKS - 1]) {
      if (isSpent(mark, each, most, now)) {
        return REFUSED;
      }
      return TAKEN
          | (raise(first, firstCell(mark), each, now, ceiling) ? FIRST : 0)
          | (raise(second, secondCell(mark), each, now, ceiling) ? SECOND : 0);
    }
  }

  /**
   * Raises a debt, unless it is beyond what one key can owe: several keys that share a cell would
   * raise it without end.
   */
  private boolean raise(AtomicLongArray row, int cell, long by, long now, long ceiling) {
    while (true) {
      long was = row.get(cell);
      long next = Math.max(was, now) + by;
      if (next > ceiling) {
        return false;
      }
      if (row.compareAndSet(cell, was, next)) {
        long _ = latest.accumulateAndGet(next, Math::max);
        return true;
      }
    }
  }

  /** Takes a charge back: it was no failure. */
  void giveBack(long mark, long each, int charge) {
    if ((charge & FIRST) != 0) {
      first.addAndGet(firstCell(mark), -each);
    }
    if ((charge & SECOND) != 0) {
      second.addAndGet(secondCell(mark), -each);
    }
  }
}
