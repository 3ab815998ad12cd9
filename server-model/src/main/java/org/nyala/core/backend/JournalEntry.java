package org.nyala.core.backend;

import java.util.UUID;

/**
 * A change in the journal of a store.
 *
 * <p>Immutable.
 *
 * @param sequence the place in the journal; rises by one with each change
 * @param kind the kind of change
 * @param movesSubordinates true if a rename gave other names to entries below, too
 * @param context the number of the naming context that the entry is in, from 0
 * @param csn its change sequence number
 * @param entryUuid the permanent identifier of the entry; zeros if it has none
 * @param entryId the id of the entry
 */
public record JournalEntry(
    long sequence,
    Kind kind,
    boolean movesSubordinates,
    int context,
    Csn csn,
    UUID entryUuid,
    long entryId) {
  /** The kind of a change. */
  public enum Kind {
    /** A new entry. */
    ADD,
    /** Other values. */
    MODIFY,
    /** An entry that is gone. */
    DELETE,
    /** Another name. */
    RENAME;

    public static Kind of(ResolvedChange change) {
      return switch (change) {
        case ResolvedChange.Add _ -> ADD;
        case ResolvedChange.Modify _ -> MODIFY;
        case ResolvedChange.Delete _ -> DELETE;
        case ResolvedChange.Rename _ -> RENAME;
      };
    }
  }
}
