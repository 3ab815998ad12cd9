package org.nyala.core.access;

import org.nyala.core.dn.Dn;

/**
 * The identity that a connection acts as (RFC 4513, section 5).
 *
 * <p>Immutable.
 *
 * @param dn the name; empty for anonymous
 * @param isRoot true for the configured root account, which is exempt from limits
 */
public record BoundIdentity(Dn dn, boolean isRoot) {
  /** The anonymous identity. */
  public static final BoundIdentity ANONYMOUS = new BoundIdentity(Dn.EMPTY, false);

  /** Returns whether the identity is anonymous. */
  public boolean isAnonymous() {
    return dn.rdnCount() == 0 && !isRoot;
  }
}
