package org.nyala.core.policy;

import java.util.Locale;

/** The changes that an administrator makes to the state of an account. */
public enum AccountAction {
  /** Nobody logs in until it is unlocked. */
  LOCK,
  /** Wrong passwords and disuse lock it no more, and are forgotten. */
  UNLOCK,
  /** Its password has expired. */
  EXPIRE,
  /** Its user changes the password before anything else. */
  RESET;

  /** Returns its name in logs: lower case. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
