package org.nyala.core.update;

import org.nyala.core.backend.ResolvedChange;

/**
 * A change that is on disk.
 *
 * <p>Immutable.
 *
 * @param change what was changed
 * @param entryId the entry that was changed
 * @param csn the change sequence number that it was given
 */
public record CommittedChange(ResolvedChange change, long entryId, String csn) {}
