package org.nyala.core.dispatch;

/**
 * The limit of the work in one slice, after which it yields.
 *
 * <p>Immutable.
 *
 * @param steps the maximum number of steps that the task counts, at least 1
 * @param nanos the maximum duration, in nanoseconds; checked every few dozen steps
 */
public record SliceBudget(int steps, long nanos) {
  /** Rejects budgets that would never get anywhere. */
  public SliceBudget {
    if (steps < 1 || nanos < 1) {
      throw new IllegalArgumentException("budget of " + steps + " steps, " + nanos + " ns");
    }
  }
}
