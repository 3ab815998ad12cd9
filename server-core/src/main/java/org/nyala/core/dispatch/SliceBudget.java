package org.nyala.core.dispatch;

/**
 * How much one slice may do before it yields.
 *
 * <p>Immutable.
 *
 * @param entries how many candidates it may examine, at least 1
 * @param nanos how long it may take, in nanoseconds; checked every few dozen candidates
 */
public record SliceBudget(int entries, long nanos) {
  /** Rejects budgets that would never get anywhere. */
  public SliceBudget {
    if (entries < 1 || nanos < 1) {
      throw new IllegalArgumentException("budget of " + entries + " entries, " + nanos + " ns");
    }
  }
}
