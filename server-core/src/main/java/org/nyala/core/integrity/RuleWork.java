package org.nyala.core.integrity;

import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * The work that rules may do for one update in the writer's thread, where all other updates wait
 * for it: look-ups in indexes, and entries that they look at. Counted rather than timed, so that it
 * refuses the same everywhere.
 *
 * <p>Confined to the writer's thread.
 */
public final class RuleWork implements Pace {
  private final int maximum;
  private long left;

  /**
   * Allows for so much.
   *
   * @param maximum look-ups for one update
   */
  public RuleWork(int maximum) {
    this.maximum = maximum;
  }

  /**
   * Begins an update.
   *
   * @param isBounded true if a client requested it; the server bounds its own updates by the
   *     entries that they change
   */
  public void begin(boolean isBounded) {
    left = isBounded ? maximum : Long.MAX_VALUE;
  }

  /**
   * Counts one look-up, or some entries; false once the limit is exceeded, after which findings do
   * not matter.
   */
  @Override
  public boolean goesOn() {
    left--;
    return left >= 0;
  }

  /**
   * Refuses an update that took too much work, for which the rules cannot have found everything.
   *
   * @throws LdapOperationException adminLimitExceeded
   */
  public void require() throws LdapOperationException {
    if (left < 0) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "uniqueness, referential integrity and constraints would take more than "
              + maximum
              + " look-ups");
    }
  }
}
