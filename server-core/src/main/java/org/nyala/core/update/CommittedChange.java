package org.nyala.core.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntrySnapshot;

/**
 * A change that is on disk.
 *
 * <p>Immutable.
 *
 * @param change the change
 * @param entryId the id of the changed entry
 * @param csn the change sequence number of the change; {@link Csn#FIRST} if it has none
 * @param image the entry after the change, or before it if it was deleted; null unless a listener
 *     wanted it when the commit began
 * @param former the entry before it was modified or renamed; null unless a listener wanted it
 * @param movesSubordinates true for a rename of an entry with entries below, if a listener wanted
 *     former images
 * @param author the name of the requester; empty for internal changes and for anonymous
 */
public record CommittedChange(
    ResolvedChange change,
    long entryId,
    Csn csn,
    @Nullable EntrySnapshot image,
    @Nullable EntrySnapshot former,
    boolean movesSubordinates,
    Dn author) {
  /**
   * Returns whether the change has a number. One of a refresh from another server has none: its
   * place among other changes is not known.
   */
  public boolean hasNumber() {
    return !csn.equals(Csn.FIRST);
  }
}
