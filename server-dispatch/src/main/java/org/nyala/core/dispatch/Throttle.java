package org.nyala.core.dispatch;

/**
 * The limit of tasks in a place at once.
 *
 * <p>Immutable.
 *
 * @param permits tasks of all owners, at least 1
 * @param laziness permits that should be free before waiting tasks come in, at least 0
 * @param ownerSharePercent the share of the permits that one owner's tasks may have, 1 to 100
 *     percent
 * @param reserve owners without a task in the place that may have one there beyond the permits, at
 *     least 0
 */
record Throttle(int permits, int laziness, int ownerSharePercent, int reserve) {
  /** The throttle under which no task waits. */
  static final Throttle NONE =
      new Throttle(Integer.MAX_VALUE, 0, DispatchSettings.WHOLE_PERCENT, 0);

  /**
   * Returns the same for as many tasks as there are permits: tasks of owners with none there wait
   * as well.
   */
  Throttle withoutReserve() {
    return new Throttle(permits, laziness, ownerSharePercent, 0);
  }

  /**
   * Returns the maximum number of tasks of one owner in a place with the given number of threads; 0
   * for as many as there are permits. Never fewer than keep the threads busy if there is no other
   * owner, unless that would be all permits.
   */
  int ownerShare(int threads) {
    if (ownerSharePercent == DispatchSettings.WHOLE_PERCENT) {
      return 0;
    }
    int percent = (int) ((long) permits * ownerSharePercent / DispatchSettings.WHOLE_PERCENT);
    int share = Math.max(percent, Math.min(threads, permits - 1));
    return share < permits ? share : 0;
  }
}
