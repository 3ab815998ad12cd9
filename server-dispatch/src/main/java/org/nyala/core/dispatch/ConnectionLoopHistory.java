package org.nyala.core.dispatch;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The history of the operations that one connection started on its event loop: clients repeat
 * themselves, and a client whose last two tasks were too long for the loop will probably send
 * another.
 *
 * <p>After the second operation in a row that did not end on the loop the connection's next {@value
 * #DETOURS} of that class go to the workers at once, and again after each one that follows them and
 * does not end there either, unless all are long ({@link LoopLoad}). An operation that ends there
 * soon resets the count. One in {@value #EXCEPTION_ONE_IN} may be longer than the others, and one
 * sooner if the loop grants it.
 *
 * <p>Its waits for the disk are recorded apart ({@link DiskWatch}), on whatever thread they occur.
 *
 * <p>Confined to the connection's event loop, but for these. Hot: a connection of short operations
 * costs some reads of fields.
 */
public final class ConnectionLoopHistory {
  /** The number of operations that avoid the loop after two in a row that were too long. */
  static final int DETOURS = 8;

  /**
   * The mean number of slices of a connection on the loop of which one is timed, at random: clients
   * repeat themselves, and might always wait for the disk in between.
   */
  static final int TIMED_ONE_IN = 8;

  /** A linear congruential generator, whose highest bits are random enough (Knuth 3.3.4). */
  private static final int MULTIPLIER = 1_664_525;

  private static final int INCREMENT = 1_013_904_223;

  /**
   * The number of operations that a connection starts on the loop from one that may be an exception
   * to the next; the first may be earlier, if the loop grants it.
   */
  static final int EXCEPTION_ONE_IN = 16;

  /**
   * The excess of long operations over short ones at which a connection counts as one with long
   * ones, whose short ones need no protection from those of others. At most twice as many are
   * remembered, so that a change of behaviour is recognised after as many short ones.
   */
  static final int MOSTLY_LONG = 4;

  /** The number of slices for which a connection is young. */
  static final int YOUTH = 8;

  /** A byte for each class, of which there are {@link Task#CLASSES}. */
  private static final int CLASS_BITS = 8;

  private static final long CLASS_MASK = 0xff;

  /** The number of operations that are still to avoid the loop. */
  private long detours;

  /** Has a bit for each class whose last operation on the loop was too long for it. */
  private int tooLong;

  /** The number of calls of {@link #isTimed}. */
  private int asked;

  /** The number of calls of {@link #isTimed} before the last exception; 0 without any so far. */
  private int lastException;

  /** The excess of recent long operations over short ones. */
  private int longOfLate;

  private @Nullable LoopLoad pace;

  private final DiskWaits diskWaits = new DiskWaits(DiskWaits.MOST_MICROS);

  private int random = ThreadLocalRandom.current().nextInt();

  /** The slices that are left of the connection's youth. */
  private final AtomicInteger youth;

  public ConnectionLoopHistory() {
    this(0);
  }

  /**
   * Creates the history of a connection that is not new.
   *
   * @param asked the number of its operations so far, modulo 2 to the power of 32
   */
  ConnectionLoopHistory(int asked) {
    this.asked = asked;
    this.youth = new AtomicInteger(asked == 0 ? YOUTH : 0);
  }

  /** Returns the recent waits for the disk. Any thread. */
  DiskWaits diskWaits() {
    return diskWaits;
  }

  /** Returns whether few slices of the connection were recorded. Any thread. */
  boolean isYoung() {
    return youth.getOpaque() > 0;
  }

  /**
   * Counts a slice of a young connection. Any thread; counts of two at a time may be one.
   *
   * @return false if the connection is not young
   */
  boolean growsOlder() {
    int left = youth.getOpaque();
    if (left > 0) {
      youth.setOpaque(left - 1);
    }
    return left > 0;
  }

  /** The pace of the connection's loop, on whose thread this runs. */
  LoopLoad pace(LoopLoads paces) {
    LoopLoad known = pace;
    if (known == null || !known.isAmong(paces)) {
      known = paces.ofThread();
      pace = known;
    }
    return known;
  }

  /** Returns whether the next operation is one whose slice on the loop is timed in any case. */
  boolean isTimed() {
    asked++;
    random = random * MULTIPLIER + INCREMENT;
    return random >>> 1 < Integer.MAX_VALUE / TIMED_ONE_IN;
  }

  /**
   * Returns whether the next operation of a class should start on the loop; counts those that
   * should not.
   */
  boolean mayStart(int costClass) {
    if (detours == 0) {
      return true;
    }
    int shift = shift(costClass);
    if ((detours >>> shift & CLASS_MASK) == 0) {
      return true;
    }
    detours -= 1L << shift;
    return false;
  }

  /**
   * Returns whether the operation that was just too long may be an exception among short ones: one
   * in {@value #EXCEPTION_ONE_IN} may, and the first one sooner if the loop grants it; counts those
   * that are.
   */
  boolean mayBeException(int costClass, LoopLoad loop) {
    boolean isFirst = (tooLong & bit(costClass)) == 0;
    if (!isFirst || !isDue() && !isGranted(loop)) {
      return false;
    }
    lastException = asked;
    return true;
  }

  private boolean isDue() {
    // Unsigned, for a connection may have billions of operations.
    return Integer.compareUnsigned(asked - lastException, EXCEPTION_ONE_IN) >= 0;
  }

  private boolean isGranted(LoopLoad loop) {
    return lastException == 0 && loop.grantsException();
  }

  /** Records a short operation that ended on the loop. */
  void ended(int costClass) {
    if (tooLong != 0 || detours != 0) {
      tooLong &= ~bit(costClass);
      detours &= ~(CLASS_MASK << shift(costClass));
    }
  }

  /**
   * Records a long operation that ended on the loop, because it was an exception or all are long.
   */
  void endedLate(int costClass) {
    tooLong &= ~bit(costClass);
  }

  /** Records an operation that was too long for the loop. */
  void overran(int costClass) {
    int bit = bit(costClass);
    if ((tooLong & bit) == 0) {
      tooLong |= bit;
      return;
    }
    int shift = shift(costClass);
    detours = detours & ~(CLASS_MASK << shift) | (long) DETOURS << shift;
  }

  /** An operation of any class was long. */
  void wasLong() {
    longOfLate = Math.min(longOfLate + 1, 2 * MOSTLY_LONG);
  }

  /**
   * Records a short operation of any class, and returns whether it counts as such. It does not if
   * more than half are long, such as the last part of each long list of a client that reads part by
   * part.
   */
  boolean wasShort() {
    if (longOfLate == 0) {
      return true;
    }
    longOfLate--;
    return longOfLate < MOSTLY_LONG;
  }

  private static int bit(int costClass) {
    return 1 << costClass;
  }

  private static int shift(int costClass) {
    return costClass * CLASS_BITS;
  }
}
