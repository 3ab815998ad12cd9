package org.nyala.core.operation.dereference;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.ProfileRights;
import org.nyala.core.rights.Right;

/**
 * An entry that a search has found, as far as its client may see it.
 *
 * <p>Confined to one running operation, and to one slice of it.
 *
 * @param transaction the transaction of the slice
 * @param view the entry
 * @param rights the client's rights to entries; null if there are no access rules
 * @param profile the client's rights to the entry; null if there are no access rules
 */
record FoundEntry(
    ReadTransaction transaction,
    EntryView view,
    @Nullable EntryRights rights,
    @Nullable Profile profile) {
  /** Returns the part of a selection that the client may read. */
  AttributeSelection readable(AttributeSelection selection) {
    if (rights == null) {
      return selection;
    }
    return profile == null
        ? AttributeSelection.NOTHING
        : profile.selection(selection, of -> new ProfileRights(of, Right.READ, true));
  }

  /** Returns whether the client may see a value of an attribute that it may read. */
  boolean maySee(AttributeDescription attribute, byte[] value) {
    return rights == null
        || profile != null
            && (!profile.mayDependOnValues() || rights.mayRead(profile, attribute, value));
  }
}
