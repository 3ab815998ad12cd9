package org.nyala.core.policy;

/**
 * The room that one key has for failures, on behalf of one attempt.
 *
 * <p>Confined to one running operation.
 */
final class FailureBudget {
  private final FailureTable table;
  private final long mark;
  private final int most;
  private final long eachNanos;
  private int charge;

  /**
   * Creates the budget of a key.
   *
   * @param mark the keyed hash of the key
   * @param most failures that a whole budget has room for, at least 1
   * @param refillNanos the time after which a spent budget is whole again
   */
  FailureBudget(FailureTable table, long mark, int most, long refillNanos) {
    this.table = table;
    this.mark = mark;
    this.most = most;
    this.eachNanos = refillNanos / most;
  }

  boolean isSpent(long now) {
    return table.isSpent(mark, eachNanos, most, now);
  }

  /** Charges the attempt as a failure; false, and charges nothing, if the budget is spent. */
  boolean take(long now) {
    charge = table.take(mark, eachNanos, most, now);
    return charge != FailureTable.REFUSED;
  }

  /** Takes the charge back, if there is one. */
  void giveBack() {
    table.giveBack(mark, eachNanos, charge);
    charge = FailureTable.REFUSED;
  }
}
