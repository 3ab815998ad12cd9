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
 * @param isRuled true if access rules decide about the identity: then messages tell nothing about
 *     other entries and their values, of which it may know none
 */
public record ChangeCause(
    BoundIdentity identity, boolean relaxed, @Nullable Dn deletedTree, boolean isRuled) {
  /** The server's own doing. */
  public static final ChangeCause SERVER = of(new BoundIdentity(Dn.EMPTY, true), false, false);

  /** Returns the cause of a change to single entries. */
  public static ChangeCause of(BoundIdentity identity, boolean relaxed, boolean isRuled) {
    return new ChangeCause(identity, relaxed, null, isRuled);
  }

  /** Returns the cause of changes that together delete a tree. */
  public ChangeCause deletingTree(Dn top) {
    return new ChangeCause(identity, relaxed, top, isRuled);
  }

  /** Returns whether the update deletes an entry of this name as part of a tree. */
  public boolean deletes(Dn name) {
    return deletedTree != null && name.isWithin(deletedTree);
  }
}
