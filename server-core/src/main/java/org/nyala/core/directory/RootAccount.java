package org.nyala.core.directory;

import org.nyala.core.dn.Dn;
import org.nyala.core.password.PasswordHash;

/**
 * The account that the configuration names: limits do not bind it, and it needs no entry.
 *
 * <p>Immutable.
 *
 * @param dn its name, not empty
 * @param password its password
 */
public record RootAccount(Dn dn, PasswordHash password) {
  /** Rejects the empty name, which is that of every anonymous client. */
  public RootAccount {
    if (dn.rdnCount() == 0) {
      throw new IllegalArgumentException("the root account needs a name");
    }
  }
}
