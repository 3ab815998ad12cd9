package org.nyala.core.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * The history of the operations that one connection started on its event loop: clients repeat
 * themselves, and a client whose last two searches were too long for the loop will probably send
 * another.
 *
 * <p>After the second operation in a row that did not end on the loop the connection's next ones of
 * that class go to the workers at once: {@value #FIRST}, and twice as many each time that the one
 * after those does not end there either, up to {@value #MOST}; except those that would make way for
 * no other connection ({@link LoopLoad}). An operation that ends there soon resets the count. One
 * in {@value #EXCEPTION_ONE_IN} may be longer than the others, {@value #EXCEPTIONS_SAVED} of them
 * in a row if there were none for long, and one sooner if the loop grants it.
 *
 * <p>Confined to the connection's event loop. Hot: a connection of short operations costs one read
 * of a field.
 */
public final class ConnectionLoopHistory {
  static final int FIRST = 8;
  static final int MOST = 64;

  /**
   * The interval, in slices of a connection on the loop, at which one is timed, from the first one
   * on; a power of 2.
   */
  static final int TIMED_ONE_IN = 8;

  /**
   * The number of operations that a connection starts on the loop for each one that may be an
   * exception, on average; one may be earlier, if the loop grants it.
   */
  static final int EXCEPTION_ONE_IN = 16;

  /**
   * The maximum number of unused exceptions that a connection saves up: with one long operation in
   * a hundred, the next one comes before sixteen others every seventh time.
   */
  static final int EXCEPTIONS_SAVED = 4;

  /**
   * The excess of long operations over short ones at which a connection counts as one with long
   * ones, whose short ones need no protection from those of others. At most twice as many are
   * remembered, so that a change of behaviour is recognised after as many short ones.
   */
  static final int MOSTLY_LONG = 4;

  /**
   * The number of operations in a row, too long although none waited behind them, after which a
   * connection's are too long for any loop. A single one may have been on a thread that lost its
   * processor.
   */
  private static final int TOO_LONG_UNHURRIED = 2;

  /** A length that is the mark of one exception, and of no operations that avoid the loop. */
  private static final long EXCEPTION = 1;

  /** A byte for each {@link OperationClass}. */
  private static final int CLASS_BITS = 8;

  private static final long CLASS_MASK = 0xff;

  /** The number of operations that are still to avoid the loop. */
  private long detours;

  /** The length of the last such detour of each class, or {@link #EXCEPTION}. */
  private long lengths;

  /** The number of calls of {@link #isTimed}. */
  private int asked;

  /**
   * The number of those operations that exceptions used up, or that lapsed because no more are
   * saved; 0 before the first exception. The next one is due {@link #EXCEPTION_ONE_IN} later.
   */
  private int spent;

  /** The excess of recent long operations over short ones. */
  private int longOfLate;

  /** The number of operations in a row that were too long although none waited behind them. */
  private int tooLongUnhurried;

  private @Nullable LoopLoad pace;

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
    return (asked++ & TIMED_ONE_IN - 1) == 0;
  }

  /**
   * Returns whether the next operation of a class should start on the loop; counts those that
   * should not.
   */
  boolean mayStart(OperationClass operationClass) {
    if (detours == 0) {
      return true;
    }
    int shift = shift(operationClass);
    if ((detours >>> shift & CLASS_MASK) == 0) {
      return true;
    }
    detours -= 1L << shift;
    return false;
  }

  /**
   * Returns whether the operation that was just too long may be an exception among short ones: one
   * in {@value #EXCEPTION_ONE_IN} on average may, and one before that if the loop grants it; counts
   * those that are.
   */
  boolean mayBeException(OperationClass operationClass, LoopLoad loop) {
    boolean isFirst = (lengths >>> shift(operationClass) & CLASS_MASK) == 0;
    return isFirst && (spends() || isGranted(loop));
  }

  /** Returns whether an exception is due, and uses it up. */
  private boolean spends() {
    // Unsigned, for a connection may have billions of operations.
    int unspent = asked - spent;
    if (Integer.compareUnsigned(unspent, EXCEPTION_ONE_IN) < 0) {
      return false;
    }
    int most = EXCEPTIONS_SAVED * EXCEPTION_ONE_IN;
    int saved = Integer.compareUnsigned(unspent, most) < 0 ? unspent : most;
    spent = asked - saved + EXCEPTION_ONE_IN;
    return true;
  }

  /** Returns whether the loop grants an exception to a connection without any so far. */
  private boolean isGranted(LoopLoad loop) {
    if (spent != 0 || !loop.grantsException()) {
      return false;
    }
    spent = asked;
    return true;
  }

  /** An operation ended on the loop soon. */
  void ended(OperationClass operationClass) {
    if ((lengths | detours) != 0) {
      long others = ~(CLASS_MASK << shift(operationClass));
      lengths &= others;
      detours &= others;
    }
  }

  /**
   * Records that a long operation ended on the loop, because it was an exception or none waited
   * behind it.
   */
  void endedLate(OperationClass operationClass) {
    lengths &= ~(CLASS_MASK << shift(operationClass));
  }

  /** Records the slice of an operation behind which none waited. */
  void wasUnhurried(boolean wasTooLong) {
    tooLongUnhurried = wasTooLong ? Math.min(tooLongUnhurried + 1, TOO_LONG_UNHURRIED) : 0;
  }

  /**
   * Returns whether the last operations were too long for the loop although none waited behind
   * them.
   */
  boolean isTooLongForAnyLoop() {
    return tooLongUnhurried == TOO_LONG_UNHURRIED;
  }

  /** An operation was too long for the loop. */
  void overran(OperationClass operationClass) {
    int shift = shift(operationClass);
    long last = lengths >>> shift & CLASS_MASK;
    if (last == 0) {
      lengths |= EXCEPTION << shift;
      return;
    }
    long length = Math.clamp(2 * last, FIRST, MOST);
    lengths = lengths & ~(CLASS_MASK << shift) | length << shift;
    detours = detours & ~(CLASS_MASK << shift) | length << shift;
  }

  /** An operation of any class was long. */
  void wasLong() {
    longOfLate = Math.min(longOfLate + 1, 2 * MOSTLY_LONG);
  }

  /**
   * Records a short operation of any class, and returns whether it counts as such. It does not if
   * more than half are long, such as the last page of each search of a client that reads page by
   * page.
   */
  boolean wasShort() {
    if (longOfLate == 0) {
      return true;
    }
    longOfLate--;
    return longOfLate < MOSTLY_LONG;
  }

  @SuppressWarnings("EnumOrdinal") // The byte of a class has no meaning elsewhere.
  private static int shift(OperationClass operationClass) {
    return operationClass.ordinal() * CLASS_BITS;
  }
}
