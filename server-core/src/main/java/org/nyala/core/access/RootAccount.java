package org.nyala.core.access;

import java.util.Set;
import org.nyala.core.dn.Dn;
import org.nyala.core.password.PasswordHash;

/**
 * An account that the configuration names: limits and access rules do not bind it, and it needs no
 * entry.
 *
 * <p>Immutable.
 *
 * @param dn its name, not empty
 * @param password its password
 * @param suffixes the naming contexts of which it is root, none of which has another one below it;
 *     empty for root of everything
 */
public record RootAccount(Dn dn, PasswordHash password, Set<Dn> suffixes) {
  /** Rejects the empty name, which is that of every anonymous client. */
  public RootAccount {
    if (dn.rdnCount() == 0) {
      throw new IllegalArgumentException("the root account needs a name");
    }
    suffixes = Set.copyOf(suffixes);
  }

  /** Creates the account that is root of everything. */
  public RootAccount(Dn dn, PasswordHash password) {
    this(dn, password, Set.of());
  }

  public BoundIdentity identity() {
    return new BoundIdentity(dn, suffixes.isEmpty(), suffixes);
  }
}
