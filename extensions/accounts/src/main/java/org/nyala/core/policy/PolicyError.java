package org.nyala.core.policy;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The errors that the response control of a password policy tells
 * (draft-behera-ldap-password-policy-11, section 6.2).
 */
public enum PolicyError {
  PASSWORD_EXPIRED(0),
  ACCOUNT_LOCKED(1),
  CHANGE_AFTER_RESET(2),
  PASSWORD_MOD_NOT_ALLOWED(3),
  MUST_SUPPLY_OLD_PASSWORD(4),
  INSUFFICIENT_PASSWORD_QUALITY(5),
  PASSWORD_TOO_SHORT(6),
  PASSWORD_TOO_YOUNG(7),
  PASSWORD_IN_HISTORY(8),
  PASSWORD_TOO_LONG(9);

  /** Those that tell why a password was not changed. */
  public static final Set<PolicyError> OF_NEW_PASSWORDS =
      Collections.unmodifiableSet(EnumSet.range(PASSWORD_MOD_NOT_ALLOWED, PASSWORD_TOO_LONG));

  private final int number;

  PolicyError(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  /** Returns its name in metrics: lower case and hyphens. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
