package org.nyala.core.policy;

import java.time.Duration;

/**
 * A password policy (draft-behera-ldap-password-policy-11, section 5.2). Zero stands for no bound.
 *
 * <p>Immutable.
 *
 * @param lockout the bounds of wrong passwords and of disuse
 * @param aging the age of passwords
 * @param changes the terms of new passwords
 */
public record PasswordPolicy(Lockout lockout, Aging aging, Changes changes) {
  /** The policy of accounts that have none. */
  public static final PasswordPolicy NONE =
      new PasswordPolicy(Lockout.NONE, Aging.NONE, Changes.NONE);

  /**
   * The bounds of wrong passwords and of disuse.
   *
   * @param isOn true if accounts are locked after wrong passwords ({@code pwdLockout})
   * @param maxFailure the wrong passwords after which they are ({@code pwdMaxFailure})
   * @param failureCountIntervalSeconds the seconds after which a wrong password no longer counts; 0
   *     if only a right one clears them ({@code pwdFailureCountInterval})
   * @param durationSeconds the seconds for which an account is locked; 0 until somebody unlocks it
   *     ({@code pwdLockoutDuration})
   * @param maxRecordedFailure the times of wrong passwords that are kept at most ({@code
   *     pwdMaxRecordedFailure})
   * @param minDelaySeconds the seconds for which an account is locked after the first wrong
   *     password, twice as many after the second, and so on ({@code pwdMinDelay})
   * @param maxDelaySeconds the most of those seconds ({@code pwdMaxDelay})
   * @param maxIdleSeconds the seconds of disuse after which nobody logs in ({@code pwdMaxIdle})
   */
  public record Lockout(
      boolean isOn,
      int maxFailure,
      int failureCountIntervalSeconds,
      int durationSeconds,
      int maxRecordedFailure,
      int minDelaySeconds,
      int maxDelaySeconds,
      int maxIdleSeconds) {
    static final Lockout NONE = new Lockout(false, 0, 0, 0, 0, 0, 0, 0);

    /** The wrong passwords after which the delay does not grow any more: 2^30 seconds are years. */
    private static final int MOST_DOUBLINGS = 30;

    /** Returns whether a number of wrong passwords locks an account. */
    public boolean locksAt(int failures) {
      return isOn && maxFailure > 0 && failures >= maxFailure;
    }

    /** Returns the time for which an account is locked after a number of wrong passwords. */
    public Duration delay(int failures) {
      if (!isOn || minDelaySeconds == 0 || failures == 0) {
        return Duration.ZERO;
      }
      long seconds = (long) minDelaySeconds << Math.min(failures - 1, MOST_DOUBLINGS);
      return Duration.ofSeconds(Math.min(seconds, Math.max(minDelaySeconds, maxDelaySeconds)));
    }
  }

  /**
   * The age of passwords.
   *
   * @param minSeconds the age before which a password is not changed ({@code pwdMinAge})
   * @param maxSeconds the age after which it has expired ({@code pwdMaxAge})
   * @param expireWarningSeconds the seconds before that in which a login is warned ({@code
   *     pwdExpireWarning})
   * @param graceAuthnLimit the logins by a password that has expired ({@code pwdGraceAuthNLimit})
   * @param graceExpirySeconds the seconds in which those are possible ({@code pwdGraceExpiry})
   */
  public record Aging(
      int minSeconds,
      int maxSeconds,
      int expireWarningSeconds,
      int graceAuthnLimit,
      int graceExpirySeconds) {
    static final Aging NONE = new Aging(0, 0, 0, 0, 0);
  }

  /**
   * The terms of new passwords.
   *
   * @param inHistory the former passwords that are not used again ({@code pwdInHistory})
   * @param checkQuality 0 if passwords are not checked, 1 if those that can be are, 2 if others are
   *     refused ({@code pwdCheckQuality})
   * @param minLength the least length, in characters ({@code pwdMinLength})
   * @param maxLength the greatest length, in characters ({@code pwdMaxLength})
   * @param mustChange true if users change a password that somebody else has set ({@code
   *     pwdMustChange})
   * @param mayUsersChange true if users may change their own ({@code pwdAllowUserChange})
   * @param safeModify true if they have to send the old one too ({@code pwdSafeModify})
   * @param usesChecks true if the server's further checks apply ({@code pwdUseCheckModule})
   */
  public record Changes(
      int inHistory,
      int checkQuality,
      int minLength,
      int maxLength,
      boolean mustChange,
      boolean mayUsersChange,
      boolean safeModify,
      boolean usesChecks) {
    static final Changes NONE = new Changes(0, 0, 0, 0, false, true, false, false);
  }

  /** Returns whether wrong passwords count. */
  public boolean countsFailures() {
    return lockout.isOn() && (lockout.maxFailure() > 0 || lockout.minDelaySeconds() > 0);
  }

  /** Returns whether a login may depend on more than the password and a lock. */
  public boolean agesPasswords() {
    return aging.maxSeconds() > 0 || changes.mustChange() || lockout.maxIdleSeconds() > 0;
  }
}
