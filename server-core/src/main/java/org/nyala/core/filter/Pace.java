package org.nyala.core.filter;

/**
 * The end of a slice as work sees it that may take longer than one: is asked every so much work,
 * and ends the slice when its time is over or nobody wants the answer any more.
 *
 * <p>Confined to one running operation.
 */
@FunctionalInterface
public interface Pace {
  /** Never ends a slice; for those who have bounded the work in another way. */
  Pace UNBOUNDED = () -> true;

  /** Whether work may go on; looks at the clock. */
  boolean goesOn();

  /**
   * Whether work whose slice is over may outlast it by a little to come to an end at all: not where
   * nobody wants the answer any more.
   */
  default boolean mayOutlast() {
    return true;
  }
}
