package org.nyala.core.replica;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.message.Request;

/**
 * A message of a provider (RFC 4533, sections 2.3 to 2.5).
 *
 * <p>Immutable, but for the arrays, which are never written to.
 */
public sealed interface SyncMessage {
  /** The state of an entry in the content. */
  enum State {
    /** It is there, and unchanged. */
    PRESENT,
    /** It is there, with these attributes. */
    ADD,
    /** It was there before, and has these attributes now. */
    MODIFY,
    /** It is gone. */
    DELETE
  }

  /**
   * An entry, with the Sync State control.
   *
   * @param state its state
   * @param entryUuid its permanent identifier
   * @param dn its name as text (RFC 4514)
   * @param attributes its attributes, user and operational; empty unless added or modified
   * @param cookie the change that this is; null in the refresh stage
   * @param bytes the approximate memory that it takes
   */
  record EntryState(
      State state,
      UUID entryUuid,
      String dn,
      List<Request.AttributeValues> attributes,
      @Nullable SyncCookie cookie,
      int bytes)
      implements SyncMessage {
    public EntryState {
      attributes = List.copyOf(attributes);
    }
  }

  /**
   * Several entries by their permanent identifiers alone.
   *
   * @param refreshDeletes true if they are gone, false if they are there and unchanged
   */
  record IdSet(List<UUID> entryUuids, boolean refreshDeletes) implements SyncMessage {
    public IdSet {
      entryUuids = List.copyOf(entryUuids);
    }
  }

  /**
   * The end of a phase of the refresh stage.
   *
   * @param refreshDeletes true if the provider has named what is gone (a delete phase), false if it
   *     has named all that is there (a present phase)
   * @param isDone true if the refresh stage ends as well
   * @param cookie the changes that the content has; null if the provider does not say
   */
  record PhaseEnd(boolean refreshDeletes, boolean isDone, @Nullable SyncCookie cookie)
      implements SyncMessage {}

  /** Further changes, which have not changed the content. */
  record NewCookie(SyncCookie cookie) implements SyncMessage {}
}
