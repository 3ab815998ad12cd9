package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.JournalEntry;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;

/**
 * A walk over the journal of changes in one snapshot, from the oldest change on.
 *
 * <p>Confined to one running operation.
 */
public final class JournalReader implements AutoCloseable {
  private static final ByteBuffer NO_ROWS = ByteBuffer.allocate(0);

  private final TxnHandle slot;
  private final @Nullable SeekCursor blocks;
  private final ByteBuffer tail;
  private final int tailRows;
  private final long tailFirst;

  private ByteBuffer rows = NO_ROWS;
  private boolean isInTail;
  private long first;
  private long current;

  /**
   * Begins to read a snapshot; a store that has no journal yet has no changes.
   *
   * @throws StoreException if the journal is damaged, or the store was opened before it had one
   */
  public JournalReader(TxnHandle slot) {
    this.slot = slot;
    ByteBuffer stored = JournalBlocks.readTail(slot);
    if (stored == null) {
      this.tail = NO_ROWS;
      this.tailRows = 0;
      this.tailFirst = 1;
      this.blocks = null;
      return;
    }
    if (!JournalBlocks.isTail(stored)) {
      throw damaged();
    }
    this.tail = stored;
    this.tailRows = stored.limit() / JournalRow.LENGTH;
    this.tailFirst = stored.getLong(tailRows * JournalRow.LENGTH) - tailRows;
    this.blocks = slot.openCursor(slot.environment().changes());
  }

  /** Returns the first change whose sequence is not below a number; null if there is none. */
  public @Nullable JournalEntry seek(long sequence) {
    long from = Math.max(sequence, 1);
    if (!isInTail && rows != NO_ROWS && from >= first && from < first + JournalBlocks.ROWS) {
      current = from;
      return entry();
    }
    SeekCursor cursor = blocks;
    if (cursor != null && from < tailFirst && cursor.seekIdOrNext(JournalBlocks.first(from))) {
      enter(cursor);
    } else {
      enterTail();
    }
    current = Math.max(first, from);
    return entry();
  }

  /** Returns the change after the last one that was returned; null if there is none. */
  public @Nullable JournalEntry next() {
    current++;
    SeekCursor cursor = blocks;
    if (!isInTail && current == first + JournalBlocks.ROWS) {
      if (cursor != null && cursor.next()) {
        enter(cursor);
      } else {
        enterTail();
      }
      current = first;
    }
    return entry();
  }

  /** Returns the newest change; null if there is none. */
  public @Nullable JournalEntry last() {
    SeekCursor cursor = blocks;
    if (tailRows == 0 && cursor != null && cursor.last()) {
      enter(cursor);
      current = first + JournalBlocks.ROWS - 1;
    } else {
      enterTail();
      current = first + tailRows - 1;
    }
    return current < first ? null : entry();
  }

  private void enter(SeekCursor cursor) {
    if (!JournalBlocks.isBlock(cursor.key(), cursor.value())) {
      throw damaged();
    }
    first = cursor.key().getLong(0);
    rows = cursor.value();
    isInTail = false;
  }

  private void enterTail() {
    first = tailFirst;
    rows = tail;
    isInTail = true;
  }

  private @Nullable JournalEntry entry() {
    if (isInTail && current >= tailFirst + tailRows) {
      current = tailFirst + tailRows;
      return null;
    }
    int at = (int) (current - first) * JournalRow.LENGTH;
    JournalEntry entry = JournalRow.read(current, rows, at);
    if (entry == null) {
      throw damaged();
    }
    return entry;
  }

  private StoreException damaged() {
    return new StoreException(
        "the journal of changes in " + slot.environment().directory() + " is damaged: run verify");
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
        changes, changes * JournalRow.ROW_BYTES, oldest.csn().time().toEpochMilli(), csn);
  }

  @Override
  public void close() {
    if (blocks != null) {
      blocks.close();
    }
  }
}
