package org.nyala.core.access;

import java.util.Set;
import org.nyala.core.dn.Dn;

/**
 * The identity that a connection acts as (RFC 4513, section 5).
 *
 * <p>Immutable.
 *
 * @param dn the name; empty for anonymous
 * @param isRoot true if it acts as root, which is exempt from limits and access rules
 * @param suffixes the naming contexts of a root account that is not root elsewhere; empty for all
 *     other identities, root of everything included. Such an account is an ordinary user until an
 *     operation is known to be about its own naming contexts
 */
public record BoundIdentity(Dn dn, boolean isRoot, Set<Dn> suffixes) {
  public static final BoundIdentity ANONYMOUS = new BoundIdentity(Dn.EMPTY, false);

  public BoundIdentity {
    suffixes = Set.copyOf(suffixes);
  }

  /** Creates an identity without naming contexts of its own. */
  public BoundIdentity(Dn dn, boolean isRoot) {
    this(dn, isRoot, Set.of());
  }

  public boolean isAnonymous() {
    return dn.rdnCount() == 0 && !isRoot;
  }

  /** Returns whether it acts as root, and is root of everything. */
  public boolean isRootOfAll() {
    return isRoot && suffixes.isEmpty();
  }

  /**
   * Returns whether it is served all entries of {@code cn=Monitor}, which no store holds. Others
   * are served those that rules let them read that name a place there.
   */
  public boolean readsMonitor() {
    return isRootOfAll();
  }

  /** Returns whether it acts as root, and is root of the entry of a name. */
  public boolean isRootOf(Dn name) {
    return isRoot && (suffixes.isEmpty() || isWithinOwn(name));
  }

  /** Returns whether it acts as root, but not with an entry of this name. */
  public boolean isConfinedFrom(Dn name) {
    return isRoot && !isRootOf(name);
  }

  /** Returns whether it is a root account, of whatever part. */
  public boolean isRootAccount() {
    return isRoot || !suffixes.isEmpty();
  }

  /**
   * Returns the same identity, acting as root in some naming contexts; itself if there are none.
   *
   * @param of those of its own naming contexts that it still has
   */
  public BoundIdentity asRoot(Set<Dn> of) {
    return of.isEmpty() ? this : new BoundIdentity(dn, true, of);
  }

  private boolean isWithinOwn(Dn name) {
    for (Dn suffix : suffixes) {
      if (name.isWithin(suffix)) {
        return true;
      }
    }
    return false;
  }
}
