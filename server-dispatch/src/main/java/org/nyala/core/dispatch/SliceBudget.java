package org.nyala.core.dispatch;

/**
 * The limit of the work in one slice, after which it yields.
 *
 * <p>Immutable.
 *
 * @param entries the maximum number of candidates, at least 1
 * @param nanos the maximum duration, in nanoseconds; checked every few dozen candidates
 */
public record SliceBudget(int entries, long nanos) {
  /** Rejects budgets that would never get anywhere. */
  public SliceBudget {
    if (entries < 1 || nanos < 1) {
      throw new IllegalArgumentException("budget of " + entries + " entries, " + nanos + " ns");
    }
  }
}
