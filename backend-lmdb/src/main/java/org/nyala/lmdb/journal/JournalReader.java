package org.nyala.lmdb.journal;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;

/**
 * A walk over the journal of changes in one snapshot, from the oldest change on.
 *
 * <p>Confined to one running operation.
 */
public final class JournalReader implements AutoCloseable {
  private final TxnHandle slot;
  private final @Nullable SeekCursor rows;

  /** Begins to read a snapshot; a store that has no journal yet has no changes. */
  public JournalReader(TxnHandle slot) {
    this.slot = slot;
    this.rows =
        slot.environment().hasChanges() ? slot.openCursor(slot.environment().changes()) : null;
  }

  /** Returns the first change whose sequence is not below a number; null if there is none. */
  public @Nullable JournalEntry seek(long sequence) {
    SeekCursor cursor = rows;
    return cursor != null && cursor.seekIdOrNext(sequence) ? entry(cursor) : null;
  }

  /** Returns the change after the last one that was returned; null if there is none. */
  public @Nullable JournalEntry next() {
    SeekCursor cursor = rows;
    return cursor != null && cursor.next() ? entry(cursor) : null;
  }

  /** Returns the newest change; null if there is none. */
  public @Nullable JournalEntry last() {
    SeekCursor cursor = rows;
    return cursor != null && cursor.last() ? entry(cursor) : null;
  }

  private JournalEntry entry(SeekCursor cursor) {
    JournalEntry entry = JournalEntry.read(cursor.key(), cursor.value());
    if (entry == null) {
      throw new StoreException(
          "the journal of changes in " + slot.environment().directory() + " is damaged");
    }
    return entry;
  }

  /** Returns the extent of the journal. */
  public JournalStatus status() {
    JournalEntry oldest = seek(0);
    JournalEntry newest = last();
    if (oldest == null || newest == null) {
      return JournalStatus.EMPTY;
    }
    long changes = newest.sequence() - oldest.sequence() + 1;
    Csn csn = newest.csn();
    return new JournalStatus(
        changes, changes * JournalEntry.ROW_BYTES, oldest.csn().time().toEpochMilli(), csn);
  }

  @Override
  public void close() {
    if (rows != null) {
      rows.close();
    }
  }
}
