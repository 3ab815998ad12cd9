package org.nyala.loadtest.workload;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The people who have logged in to a server, and those whose password was wrong. All tests of the
 * same server share it: a server that computes slow hashes may remember a login that succeeded, so
 * that the first one of a person costs more than those after it.
 *
 * <p>Thread-safe. Hot: {@link #isFirst}, {@link #isWrong}; nothing is allocated after the first.
 */
public final class Logins {
  private final int people;
  private volatile Marks marks = Marks.NONE;

  /** Two bits of each person. Thread-safe. */
  private record Marks(AtomicLongArray right, AtomicLongArray wrong) {
    static final Marks NONE = new Marks(new AtomicLongArray(0), new AtomicLongArray(0));

    static boolean set(AtomicLongArray bits, int place) {
      long bit = 1L << place;
      return (bits.getAcquire(place >>> 6) & bit) == 0
          && (bits.getAndAccumulate(place >>> 6, bit, (old, one) -> old | one) & bit) == 0;
    }
  }

  /**
   * Begins without logins.
   *
   * @param people their number, at least 1
   */
  public Logins(int people) {
    this.people = people;
  }

  /**
   * Notes a login that succeeded.
   *
   * @param person the place of the person among all, from 0 up
   * @return true for the first one of that person
   */
  public boolean isFirst(int person) {
    return Marks.set(made().right, person);
  }

  /** Notes a wrong password of a person. */
  public void wrong(int person) {
    Marks.set(made().wrong, person);
  }

  /** Returns whether a password of a person was wrong: another one might lock the account. */
  public boolean isWrong(int person) {
    AtomicLongArray wrong = marks.wrong;
    return wrong.length() > 0 && (wrong.getPlain(person >>> 6) & 1L << person) != 0;
  }

  /** Returns the number of people who have logged in. */
  public long rightCount() {
    return count(marks.right);
  }

  /** Returns the number of people whose password was wrong. */
  public long wrongCount() {
    return count(marks.wrong);
  }

  private static long count(AtomicLongArray bits) {
    long sum = 0;
    for (int i = 0; i < bits.length(); i++) {
      sum += Long.bitCount(bits.get(i));
    }
    return sum;
  }

  private Marks made() {
    Marks made = marks;
    return made == Marks.NONE ? make() : made;
  }

  private synchronized Marks make() {
    if (marks == Marks.NONE) {
      int words = (people + Long.SIZE - 1) / Long.SIZE;
      marks = new Marks(new AtomicLongArray(words), new AtomicLongArray(words));
    }
    return marks;
  }
}
