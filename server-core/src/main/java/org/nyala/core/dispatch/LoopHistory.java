package org.nyala.core.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * What became of the operations that one connection started on its event loop: clients repeat
 * themselves, and one whose last two searches were too long for the loop will probably ask for
 * another.
 *
 * <p>One operation that did not end on the loop may be the exception. After the second in a row the
 * connection's next ones of that class go to the workers at once: {@value #FIRST}, and twice as
 * many each time that the one after those does not end there either, up to {@value #MOST}. One that
 * does end there is forgiven everything.
 *
 * <p>Confined to the connection's event loop. Hot: a connection of short operations costs a look at
 * a field.
 */
public final class LoopHistory {
  static final int FIRST = 8;
  static final int MOST = 64;

  /**
   * Of the slices of a connection on the loop the first is timed, and then one in so many; a power
   * of 2.
   */
  static final int TIMED_ONE_IN = 8;

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

  private @Nullable LoopPace pace;

  /** The pace of the connection's loop, on whose thread this runs. */
  LoopPace pace(LoopPaces paces) {
    LoopPace known = pace;
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

  /** Whether the next operation of a class should start on the loop; counts those that do not. */
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

  /** Whether the last operation of a class ended on the loop, or there was none. */
  boolean isClean(OperationClass operationClass) {
    return (lengths >>> shift(operationClass) & CLASS_MASK) == 0;
  }

  /** An operation ended on the loop. */
  void ended(OperationClass operationClass) {
    if (lengths != 0) {
      lengths &= ~(CLASS_MASK << shift(operationClass));
    }
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

  @SuppressWarnings("EnumOrdinal") // Which byte a class has means nothing outside this object.
  private static int shift(OperationClass operationClass) {
    return operationClass.ordinal() * CLASS_BITS;
  }
}
