package org.nyala.core.access;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.quality.PasswordChecks;

/**
 * The settings of password policies, beside the policies themselves.
 *
 * <p>Immutable.
 *
 * @param byDefault the policy of accounts that name none, and for which no rule chooses one; null
 *     for none
 * @param rules the rules that choose one
 * @param tellsLocked true if the response control of a policy tells that an account is locked
 * @param sendsNetscape true if Netscape's controls are sent to clients that have not asked for that
 *     of policies
 * @param lastBind true if the last login to each account is recorded
 * @param lastBindPrecisionSeconds the seconds by which that record may be older than the login
 * @param alwaysNotesChange true if the time of new passwords is recorded in accounts without a
 *     policy, too
 * @param checks the checks of new passwords
 */
public record PolicySettings(
    @Nullable Dn byDefault,
    List<PolicyRule> rules,
    boolean tellsLocked,
    boolean sendsNetscape,
    boolean lastBind,
    int lastBindPrecisionSeconds,
    boolean alwaysNotesChange,
    PasswordChecks checks) {
  /** The settings without a policy. */
  public static final PolicySettings NONE =
      new PolicySettings(null, List.of(), false, true, false, 3600, false, PasswordChecks.NONE);

  public PolicySettings {
    rules = List.copyOf(rules);
  }

  /** Returns the same settings with a policy of accounts that name none. */
  public PolicySettings by(@Nullable Dn policy) {
    return by(policy, rules);
  }

  /** Returns the same settings with a policy of accounts that name none, and rules. */
  public PolicySettings by(@Nullable Dn policy, List<PolicyRule> others) {
    return new PolicySettings(
        policy,
        others,
        tellsLocked,
        sendsNetscape,
        lastBind,
        lastBindPrecisionSeconds,
        alwaysNotesChange,
        checks);
  }

  /** Returns the same settings with other checks of new passwords. */
  public PolicySettings checking(PasswordChecks others) {
    return new PolicySettings(
        byDefault,
        rules,
        tellsLocked,
        sendsNetscape,
        lastBind,
        lastBindPrecisionSeconds,
        alwaysNotesChange,
        others);
  }
}
