package org.nyala.core.operation.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.control.SyncResponse;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.EntryMarks;
import org.nyala.core.operation.search.SeenEntries;
import org.nyala.core.session.ResponseSink;

/**
 * The marks of entries in the refresh stage: unchanged ones are only named, in sets, all others are
 * sent.
 *
 * <p>Confined to one running operation. Holds one set at a time.
 */
final class SyncMarks implements EntryMarks {
  /** The identifiers in one message, as many as slapd sends. */
  static final int SET = 256;

  private final SeenEntries seen;
  private final @Nullable CsnVector known;
  private final List<UUID> unchanged = new ArrayList<>(SET);

  /**
   * Creates the marks.
   *
   * @param known the changes that the client has, if unchanged entries are only named; null if all
   *     are sent
   */
  SyncMarks(SeenEntries seen, @Nullable CsnVector known) {
    this.seen = seen;
    this.known = known;
  }

  @Override
  public boolean isKnown(ResponseSink sink, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    CsnVector csns = known;
    Csn csn = csns == null ? null : seen.lastChange(view, transaction.attributes());
    if (csns == null || csn == null || !csns.covers(csn)) {
      return false;
    }
    unchanged.add(uuid(seen, view, transaction.attributes()));
    if (unchanged.size() == SET) {
      flush(sink);
    }
    return true;
  }

  /** Sends the identifiers that are left. */
  void flush(ResponseSink sink) {
    if (!unchanged.isEmpty()) {
      sink.intermediate(SyncResponse.INFO, SyncResponse.idSet(null, false, unchanged));
      unchanged.clear();
    }
  }

  @Override
  public List<ResponseControl> controls(ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    UUID uuid = uuid(seen, view, transaction.attributes());
    return List.of(SyncResponse.state(SyncResponse.ADD, uuid, null));
  }

  /**
   * Returns the permanent identifier of an entry.
   *
   * @throws LdapOperationException unwillingToPerform if it has none
   */
  static UUID uuid(SeenEntries seen, EntryView view, AttributeTable table)
      throws LdapOperationException {
    UUID uuid = seen.identifier(view, table);
    if (uuid.getMostSignificantBits() == 0 && uuid.getLeastSignificantBits() == 0) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "an entry without entryUUID cannot be synchronized");
    }
    return uuid;
  }
}
