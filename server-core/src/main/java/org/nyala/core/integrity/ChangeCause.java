package org.nyala.core.integrity;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dn.Dn;

/**
 * Why a change is made, as far as rules care.
 *
 * <p>Immutable.
 *
 * @param identity on whose behalf
 * @param relaxed whether the rules of the directory rest (draft-zeilenga-ldap-relax)
 * @param deletedTree the top of the entries that all go in the same update; null where one goes or
 *     none
 */
public record ChangeCause(BoundIdentity identity, boolean relaxed, @Nullable Dn deletedTree) {
  /** The server's own doing. */
  public static final ChangeCause SERVER =
      new ChangeCause(new BoundIdentity(Dn.EMPTY, true), false, null);

  /** Whether an entry of this name is gone once the update is complete. */
  public boolean deletes(Dn name) {
    return deletedTree != null && name.isWithin(deletedTree);
  }
}
