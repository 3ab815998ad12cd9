package org.nyala.core.filter;

/**
 * The end of a slice for work that may take longer than one: it is checked after each unit of work,
 * and ends the slice when its time is over or the answer is no longer wanted.
 *
 * <p>Confined to one running operation.
 */
@FunctionalInterface
public interface Pace {
  /**
   * Never ends a slice: for the writer, which others wait for, and for administration, which has a
   * thread to itself. No other operation may use it, because nobody else would get its thread.
   */
  Pace UNBOUNDED = () -> true;

  /** The end of a slice that was not begun. */
  Pace OVER = () -> false;

  /**
   * Returns a pace that ends after a number of looks at it, for work that is done at once or
   * refused: it takes about as long on every machine, and the same is refused.
   */
  static Pace ofLooks(int most) {
    int[] left = {most};
    return () -> left[0]-- > 0;
  }

  /** Returns whether work may go on; reads the clock. */
  boolean goesOn();

  /**
   * Returns whether work may go on after a look-up that has found nothing, for a name that was
   * counted when it was found; reads the clock.
   */
  default boolean goesOnAfterNothing() {
    return goesOn();
  }

  /**
   * Returns whether work whose slice is over may exceed it a little in order to end at all: not if
   * the answer is no longer wanted.
   */
  default boolean mayOutlast() {
    return true;
  }
}
