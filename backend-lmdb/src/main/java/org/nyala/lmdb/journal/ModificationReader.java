package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.nyala.core.backend.Modifications;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;

/**
 * The modifications that a snapshot has of the changes in its journal.
 *
 * <p>Confined to one running operation.
 */
public final class ModificationReader implements AutoCloseable {
  private static final byte[] FIRST_KEY = "modifications".getBytes(StandardCharsets.US_ASCII);

  private final TxnHandle slot;
  private final @Nullable SeekCursor rows;

  /** Begins to read a snapshot. */
  public ModificationReader(TxnHandle slot) {
    this.slot = slot;
    Dbi<ByteBuffer> database = slot.environment().modifications();
    this.rows = database == null ? null : slot.openCursor(database);
  }

  /** Returns the key in {@code meta} of the first sequence from which on none is missing. */
  static byte[] firstKey() {
    return FIRST_KEY;
  }

  /**
   * Returns the first sequence from which on no modifications are missing.
   *
   * @param next the sequence of the next change
   */
  public long first(long next) {
    SeekCursor cursor = rows;
    if (cursor == null || !cursor.last() || cursor.key().getLong(0) + 1 != next) {
      return next;
    }
    cursor.first();
    long oldest = cursor.key().getLong(0);
    ByteBuffer key = ByteBuffer.allocateDirect(FIRST_KEY.length).put(FIRST_KEY).flip();
    ByteBuffer stored = slot.environment().meta().get(slot.txn(), key);
    return stored == null || stored.remaining() != Long.BYTES
        ? next
        : Math.max(oldest, stored.order(ByteOrder.BIG_ENDIAN).getLong(stored.position()));
  }

  /**
   * Returns the modifications of a change; null if there are none.
   *
   * @throws StoreException if the record is damaged
   */
  public @Nullable Modifications at(long sequence) {
    SeekCursor cursor = rows;
    if (cursor == null || !cursor.seekId(sequence)) {
      return null;
    }
    Modifications found = ModificationRecord.read(cursor.value());
    if (found == null) {
      throw new StoreException(
          "the modifications in "
              + slot.environment().directory()
              + " are damaged at change "
              + sequence
              + ": run verify");
    }
    return found;
  }

  @Override
  public void close() {
    if (rows != null) {
      rows.close();
    }
  }
}
