package org.nyala.core.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntrySnapshot;

/**
 * A change that is on disk.
 *
 * <p>Immutable.
 *
 * @param change what was changed
 * @param entryId the entry that was changed
 * @param csn the change sequence number that it was given
 * @param image the entry after the change, or before it where it was deleted; null unless a
 *     listener wanted it when the commit began
 * @param author on whose behalf; empty for the server's own doing and for nobody in particular
 */
public record CommittedChange(
    ResolvedChange change, long entryId, String csn, @Nullable EntrySnapshot image, Dn author) {}
