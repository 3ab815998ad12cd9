package org.nyala.core.integrity;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dn.Dn;

/**
 * The reason for a change, as far as it matters to rules.
 *
 * <p>Immutable.
 *
 * @param identity the identity that makes the change
 * @param relaxed true if the rules of the directory are relaxed (draft-zeilenga-ldap-relax)
 * @param deletedTree the top of the tree that the update deletes; null if it deletes one entry or
 *     none
 */
public record ChangeCause(BoundIdentity identity, boolean relaxed, @Nullable Dn deletedTree) {
  /** The server's own doing. */
  public static final ChangeCause SERVER =
      new ChangeCause(new BoundIdentity(Dn.EMPTY, true), false, null);

  /** Returns whether the update deletes an entry of this name as part of a tree. */
  public boolean deletes(Dn name) {
    return deletedTree != null && name.isWithin(deletedTree);
  }
}
