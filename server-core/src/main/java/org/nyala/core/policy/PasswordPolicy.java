package org.nyala.core.policy;

/**
 * A password policy, as far as wrong passwords matter (draft-behera-ldap-password-policy-11,
 * section 5.2).
 *
 * <p>Immutable.
 *
 * @param lockout true if accounts are locked after wrong passwords ({@code pwdLockout})
 * @param maxFailure the wrong passwords after which they are; 0 for no limit ({@code
 *     pwdMaxFailure})
 * @param failureCountIntervalSeconds the seconds after which a wrong password no longer counts; 0
 *     if only a right one clears them ({@code pwdFailureCountInterval})
 * @param lockoutDurationSeconds the seconds for which an account is locked; 0 until somebody
 *     unlocks it ({@code pwdLockoutDuration})
 * @param maxRecordedFailure the times of wrong passwords that are kept at most ({@code
 *     pwdMaxRecordedFailure})
 */
public record PasswordPolicy(
    boolean lockout,
    int maxFailure,
    int failureCountIntervalSeconds,
    int lockoutDurationSeconds,
    int maxRecordedFailure) {
  /** The policy of accounts that have none: no wrong password counts. */
  public static final PasswordPolicy NONE = new PasswordPolicy(false, 0, 0, 0, 0);

  /** Returns whether wrong passwords count. */
  public boolean countsFailures() {
    return lockout && maxFailure > 0;
  }
}
