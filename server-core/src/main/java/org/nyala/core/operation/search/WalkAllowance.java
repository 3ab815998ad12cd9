package org.nyala.core.operation.search;

import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;

/**
 * The candidates that a walk may still examine: in its slice, before the clock is read again, and
 * by the limit on all of them together.
 *
 * <p>Confined to one running operation. Hot.
 */
final class WalkAllowance {
  /** The number of candidates between two readings of the clock. */
  private static final int CLOCK_INTERVAL = 64;

  /**
   * The number of tests of a filter that cost as much as another candidate: 2 to the power of this.
   */
  private static final int TESTS_SHIFT = 5;

  private final SearchPlan plan;
  private long examined;
  private long sliceEndNanos;
  private int sliceLeft;
  private int clockLeft;

  WalkAllowance(SearchPlan plan) {
    this.plan = plan;
  }

  /**
   * Begins a slice.
   *
   * @throws LdapOperationException timeLimitExceeded if the time of the search is over
   */
  void beginSlice(Operation operation, SliceBudget budget) throws LdapOperationException {
    long now = plan.directory().nanoTime();
    plan.bounds().time().check(now);
    sliceEndNanos = now + budget.nanos();
    plan.pace().begin(operation, sliceEndNanos);
    sliceLeft = budget.steps();
    clockLeft = CLOCK_INTERVAL;
  }

  /**
   * Returns the number of candidates to examine now: at most one more than the look-through limit
   * allows, to detect that it is exceeded.
   */
  int candidates() {
    int allowance = Math.min(sliceLeft, clockLeft);
    int limit = plan.bounds().lookThrough();
    return limit == 0 ? allowance : (int) Math.min(allowance, limit - examined + 1);
  }

  /**
   * Counts examined candidates.
   *
   * @throws LdapOperationException adminLimitExceeded if they are more than allowed in all
   */
  void count(long candidates) throws LdapOperationException {
    examined += candidates;
    sliceLeft -= (int) candidates;
    clockLeft -= (int) candidates;
    if (isExceeded()) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "more than " + plan.bounds().lookThrough() + " entries to look at");
    }
  }

  /** Returns the number of candidates that were counted. */
  long examined() {
    return examined;
  }

  /** Returns whether more candidates were counted than are allowed in all. */
  boolean isExceeded() {
    int limit = plan.bounds().lookThrough();
    return limit > 0 && examined > limit;
  }

  /** Takes back the last candidate, which is examined again. */
  void takeBack() {
    examined--;
  }

  /** Charges tests of a filter. */
  void charge(long tests) {
    clockLeft -= (int) Math.min(tests >> TESTS_SHIFT, CLOCK_INTERVAL);
  }

  /** Lets the clock be read after this candidate, which has taken time of its own. */
  void readClockNext() {
    clockLeft = 0;
  }

  /**
   * Returns whether the slice is over.
   *
   * @throws LdapOperationException timeLimitExceeded if the time of the search is over
   */
  boolean isOver() throws LdapOperationException {
    return sliceLeft <= 0 || (clockLeft <= 0 && isTimeOver());
  }

  /** Returns whether the slice is over, after reading the clock; otherwise like {@link #isOver}. */
  boolean isOverNow() throws LdapOperationException {
    return sliceLeft <= 0 || isTimeOver();
  }

  private boolean isTimeOver() throws LdapOperationException {
    clockLeft = CLOCK_INTERVAL;
    long now = plan.directory().nanoTime();
    plan.bounds().time().check(now);
    return now - sliceEndNanos >= 0;
  }
}
