package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
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
public final class ModificationReader {
  private static final byte[] FIRST_KEY = "modifications".getBytes(StandardCharsets.US_ASCII);

  private final TxnHandle slot;
  private final @Nullable Dbi<ByteBuffer> database;
  private final ByteBuffer key = ByteBuffer.allocate(Long.BYTES);

  /** Begins to read a snapshot. */
  public ModificationReader(TxnHandle slot) {
    this.slot = slot;
    this.database = slot.environment().modifications();
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
    Dbi<ByteBuffer> rows = database;
    if (rows == null) {
      return next;
    }
    long oldest;
    try (SeekCursor cursor = slot.openCursor(rows)) {
      if (!cursor.last() || cursor.key().getLong(0) + 1 != next) {
        return next;
      }
      cursor.first();
      oldest = cursor.key().getLong(0);
    }
    ByteBuffer stored = slot.get(slot.environment().meta(), FIRST_KEY, FIRST_KEY.length);
    return stored == null || stored.remaining() != Long.BYTES
        ? next
        : Math.max(oldest, stored.getLong(stored.position()));
  }

  /**
   * Returns the modifications of a change; null if there are none.
   *
   * @throws StoreException if the record is damaged
   */
  public @Nullable Modifications at(long sequence) {
    Dbi<ByteBuffer> rows = database;
    ByteBuffer record =
        rows == null ? null : slot.get(rows, key.putLong(0, sequence).array(), Long.BYTES);
    if (record == null) {
      return null;
    }
    Modifications found = ModificationRecord.read(record);
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
}
