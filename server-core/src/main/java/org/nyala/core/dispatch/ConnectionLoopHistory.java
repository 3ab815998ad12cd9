package org.nyala.core.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * What became of the operations that one connection started on its event loop: clients repeat
 * themselves, and one whose last two searches were too long for the loop will probably ask for
 * another.
 *
 * <p>After the second operation in a row that did not end on the loop the connection's next ones of
 * that class go to the workers at once: {@value #FIRST}, and twice as many each time that the one
 * after those does not end there either, up to {@value #MOST}; but for those that would make way
 * for nobody ({@link LoopLoad}). One that ends there soon is forgiven everything. One in {@value
 * #EXCEPTION_ONE_IN} may be longer than the others, {@value #EXCEPTIONS_SAVED} of them in a row if
 * there were none for long, and one sooner where the loop grants it.
 *
 * <p>Confined to the connection's event loop. Hot: a connection of short operations costs a look at
 * a field.
 */
public final class ConnectionLoopHistory {
  static final int FIRST = 8;
  static final int MOST = 64;

  /**
   * Of the slices of a connection on the loop the first is timed, and then one in so many; a power
   * of 2.
   */
  static final int TIMED_ONE_IN = 8;

  /**
   * Of the operations that a connection starts on the loop one in so many may be an exception, on
   * average; one may be earlier, where the loop grants it.
   */
  static final int EXCEPTION_ONE_IN = 16;

  /**
   * So many exceptions at most does a connection save up that it did not need: who has one long
   * operation in a hundred has the next one before sixteen others every seventh time.
   */
  static final int EXCEPTIONS_SAVED = 4;

  /**
   * So many more long operations than short ones a connection had that it is one of those with long
   * ones, whose short ones need no protection from those of others. At most twice as many are
   * remembered, so that who changes his ways is known by it after as many short ones.
   */
  static final int MOSTLY_LONG = 4;

  /**
   * So many in a row that were too long though nobody waited for them are too long for any loop. A
   * single one may have been on a thread that lost its processor.
   */
  private static final int TOO_LONG_UNHURRIED = 2;

  /** A length that is the mark of one exception, and of no operations that avoid the loop. */
  private static final long EXCEPTION = 1;

  /** A byte for each {@link OperationClass}. */
  private static final int CLASS_BITS = 8;

  private static final long CLASS_MASK = 0xff;

  /** How many operations are still to avoid the loop. */
  private long detours;

  /** How many they were the last time, or {@link #EXCEPTION}. */
  private long lengths;

  /** How many operations were asked about by {@link #isTimed}. */
  private int asked;

  /**
   * How many of them exceptions have used up, or lapsed because no more are saved; 0 before the
   * first exception. The next one is due {@link #EXCEPTION_ONE_IN} later.
   */
  private int spent;

  /** How many more long ones than short ones there were of late. */
  private int longOfLate;

  /** How many in a row were too long though nobody waited for them. */
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

  /** Whether the next operation is one of those whose slice on the loop is timed in any case. */
  boolean isTimed() {
    return (asked++ & TIMED_ONE_IN - 1) == 0;
  }

  /**
   * Whether the next operation of a class should start on the loop; counts those that should not.
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
   * Whether the operation that has just been too long may be an exception among short ones, which
   * on average one in {@value #EXCEPTION_ONE_IN} may be, and one before that where the loop grants
   * it; counts those that are.
   */
  boolean mayBeException(OperationClass operationClass, LoopLoad loop) {
    boolean isFirst = (lengths >>> shift(operationClass) & CLASS_MASK) == 0;
    return isFirst && (spends() || isGranted(loop));
  }

  /** Whether an exception is due, which is spent then. */
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

  /** Whether a connection without any exception so far has one because of its loop. */
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

  /** A long operation ended on the loop, because it was an exception or nobody waited for it. */
  void endedLate(OperationClass operationClass) {
    lengths &= ~(CLASS_MASK << shift(operationClass));
  }

  /** An operation that nobody waited for had its time. */
  void wasUnhurried(boolean wasTooLong) {
    tooLongUnhurried = wasTooLong ? Math.min(tooLongUnhurried + 1, TOO_LONG_UNHURRIED) : 0;
  }

  /** Whether the last operations were too long for the loop though nobody waited for them. */
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
   * An operation of any class was short; whether it counts as such. It does not where more than
   * half are long, such as the last page of each search of a client that reads page by page.
   */
  boolean wasShort() {
    if (longOfLate == 0) {
      return true;
    }
    longOfLate--;
    return longOfLate < MOSTLY_LONG;
  }

  @SuppressWarnings("EnumOrdinal") // Which byte a class has means nothing outside this object.
  private static int shift(OperationClass operationClass) {
    return operationClass.ordinal() * CLASS_BITS;
  }
}
