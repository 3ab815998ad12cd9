package org.nyala.core.access;

import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.quality.PasswordChecks;

/**
 * The settings of password policies, beside the policies themselves.
 *
 * <p>Immutable.
 *
 * @param byDefault the policy of accounts that name none; null for none
 * @param tellsLocked true if the response control of a policy tells that an account is locked
 * @param sendsNetscape true if Netscape's controls are sent to clients that have not asked for that
 *     of policies
 * @param lastBind true if the last login to each account is recorded
 * @param lastBindPrecisionSeconds the seconds by which that record may be older than the login
 * @param checks the checks of new passwords
 */
public record PolicySettings(
    @Nullable Dn byDefault,
    boolean tellsLocked,
    boolean sendsNetscape,
    boolean lastBind,
    int lastBindPrecisionSeconds,
    PasswordChecks checks) {
  /** The settings without a policy. */
  public static final PolicySettings NONE =
      new PolicySettings(null, false, true, false, 3600, PasswordChecks.NONE);

  /** Returns the same settings with a policy of accounts that name none. */
  public PolicySettings by(@Nullable Dn policy) {
    return new PolicySettings(
        policy, tellsLocked, sendsNetscape, lastBind, lastBindPrecisionSeconds, checks);
  }

  /** Returns the same settings with other checks of new passwords. */
  public PolicySettings checking(PasswordChecks others) {
    return new PolicySettings(
        byDefault, tellsLocked, sendsNetscape, lastBind, lastBindPrecisionSeconds, others);
  }
}
