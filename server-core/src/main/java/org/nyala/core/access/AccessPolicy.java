package org.nyala.core.access;

import java.util.Set;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.AttributeType;

/**
 * The default access: everybody may read the root DSE and the schema; bound users read everything
 * but {@code userPassword}, which root alone reads, on the machine itself; anonymous reads entries
 * only where the configuration says so. Root and the writers that the configuration names change
 * entries.
 *
 * <p>Immutable.
 *
 * @param anonymousRead whether anonymous clients may read entries
 * @param writers who may change entries, besides root
 * @param selfPasswordChange whether users may change their own passwords
 */
public record AccessPolicy(boolean anonymousRead, Set<Dn> writers, boolean selfPasswordChange) {
  private static final String USER_PASSWORD_OID = "2.5.4.35";

  /** Copies the set. */
  public AccessPolicy {
    writers = Set.copyOf(writers);
  }

  /** Lets nobody but root change entries. */
  public AccessPolicy(boolean anonymousRead) {
    this(anonymousRead, Set.of(), true);
  }

  /** The same with other writers. */
  public AccessPolicy withWriters(Set<Dn> others) {
    return new AccessPolicy(anonymousRead, others, selfPasswordChange);
  }

  /** The same, saying whether users may change their own passwords. */
  public AccessPolicy withSelfPasswordChange(boolean allowed) {
    return new AccessPolicy(anonymousRead, writers, allowed);
  }

  /** Whether the identity may read entries at all; otherwise the directory looks empty to it. */
  public boolean mayReadEntries(BoundIdentity identity) {
    return anonymousRead || !identity.isAnonymous();
  }

  /** Whether the identity may change the entry of this name, make it or remove it. */
  public boolean mayWrite(BoundIdentity identity, Dn name) {
    return identity.isRoot() || writers.contains(identity.dn()) && !identity.isAnonymous();
  }

  /** Whether the identity may change the password of the entry of this name. */
  public boolean mayChangePassword(BoundIdentity identity, Dn name) {
    boolean own = !identity.isAnonymous() && identity.dn().equals(name);
    return own && selfPasswordChange || mayWrite(identity, name);
  }

  /** Whether values of the type may be shown, compared and searched by anybody. */
  public boolean isVisible(AttributeType type) {
    return !isHiddenFromAll(type);
  }

  /**
   * Whether nobody but root on the machine itself may read the type: entries are stored so that
   * leaving it out costs nothing. What descends from {@code userPassword} is a password too, and
   * binds.
   */
  public static boolean isHiddenFromAll(AttributeType type) {
    for (AttributeType each = type; each != null; each = each.superior()) {
      if (each.oid().equals(USER_PASSWORD_OID)) {
        return true;
      }
    }
    return false;
  }
}
