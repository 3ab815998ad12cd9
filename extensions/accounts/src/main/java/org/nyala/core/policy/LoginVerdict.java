package org.nyala.core.policy;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The decision about a login whose password was right (draft-behera-ldap-password-policy-11,
 * section 8.1).
 *
 * <p>Immutable.
 *
 * @param kind the decision
 * @param secondsLeft the seconds until the password expires, if the client is to be warned; else
 *     negative
 * @param graceLeft the further logins that are possible after it has expired; negative if it has
 *     not
 */
public record LoginVerdict(Kind kind, int secondsLeft, int graceLeft) {
  /** The login of an account to which no policy applies. */
  public static final LoginVerdict FREE = new LoginVerdict(Kind.OPEN, -1, -1);

  private static final LoginVerdict MUST_CHANGE = new LoginVerdict(Kind.MUST_CHANGE, -1, -1);
  private static final LoginVerdict EXPIRED = new LoginVerdict(Kind.EXPIRED, -1, -1);

  /** The kinds of decisions. */
  public enum Kind {
    OPEN,
    /** It succeeds, and the client may change its password and nothing else. */
    MUST_CHANGE,
    /** It succeeds although the password has expired, and is to be recorded before. */
    GRACE,
    /** It fails: the password has expired. */
    EXPIRED
  }

  /** Decides about a login at a time. */
  public static LoginVerdict of(PasswordPolicy policy, AccountState state, Instant now) {
    AccountState.Use use = state.use();
    if (policy.changes().mustChange() && use.isReset()) {
      return MUST_CHANGE;
    }
    Instant expires = expires(policy, use);
    if (expires == null) {
      return FREE;
    }
    if (now.isAfter(expires)) {
      int left = graceLeft(policy, use, expires, now);
      return left == 0 ? EXPIRED : new LoginVerdict(Kind.GRACE, -1, left - 1);
    }
    long left = Duration.between(now, expires).toSeconds();
    return left < policy.aging().expireWarningSeconds()
        ? new LoginVerdict(Kind.OPEN, (int) left, -1)
        : FREE;
  }

  /** Returns the time after which a password has expired; null if it never does. */
  public static @Nullable Instant expires(PasswordPolicy policy, AccountState.Use use) {
    Instant changed = use.changed();
    int seconds = policy.aging().maxSeconds();
    return seconds == 0 || changed == null ? null : changed.plusSeconds(seconds);
  }

  /** Returns the logins that are left to a password that has expired. */
  public static int graceLeft(
      PasswordPolicy policy, AccountState.Use use, Instant expired, Instant now) {
    PasswordPolicy.Aging aging = policy.aging();
    boolean isOver =
        aging.graceExpirySeconds() > 0
            && now.isAfter(expired.plusSeconds(aging.graceExpirySeconds()));
    return isOver ? 0 : Math.max(0, aging.graceAuthnLimit() - use.graceUses().size());
  }
}
