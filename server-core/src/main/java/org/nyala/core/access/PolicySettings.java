package org.nyala.core.access;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;
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
    @Key(name = "tellLocked") boolean tellsLocked,
    @Key(name = "netscapeControls", on = true) boolean sendsNetscape,
    @Key boolean lastBind,
    @Key(usual = 3600, to = 365 * 86_400) int lastBindPrecisionSeconds,
    @Key(name = "alwaysNoteChange") boolean alwaysNotesChange,
    PasswordChecks checks) {
  /** The settings without a policy. */
  public static final PolicySettings NONE = read(new Keys.Source() {});

  /** Reads the settings, without policies and checks, from their section. */
  public static PolicySettings read(Keys.Source section) {
    return Keys.read(
        PolicySettings.class, section, Map.of("rules", List.of(), "checks", PasswordChecks.NONE));
  }

  public PolicySettings {
    rules = List.copyOf(rules);
  }

  /** Returns the same settings with a policy of accounts that name none. */
  public PolicySettings by(@Nullable Dn policy) {
    return Keys.with(this, "byDefault", policy);
  }

  /** Returns the same settings with a policy of accounts that name none, and rules. */
  public PolicySettings by(@Nullable Dn policy, List<PolicyRule> others) {
    return Keys.with(by(policy), "rules", others);
  }

  /** Returns the same settings with other checks of new passwords. */
  public PolicySettings checking(PasswordChecks others) {
    return Keys.with(this, "checks", others);
  }
}
