package org.nyala.core.access;

import org.nyala.core.dn.Dn;

/**
 * Whom a connection speaks for (RFC 4513, section 5).
 *
 * <p>Immutable.
 *
 * @param dn the name; empty for anonymous
 * @param isRoot whether this is the configured root account, which limits do not bind
 */
public record BoundIdentity(Dn dn, boolean isRoot) {
  /** Nobody in particular. */
  public static final BoundIdentity ANONYMOUS = new BoundIdentity(Dn.EMPTY, false);

  /** Whether nobody in particular is bound. */
  public boolean isAnonymous() {
    return dn.rdnCount() == 0 && !isRoot;
  }
}
