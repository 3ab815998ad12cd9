package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.TxnHandle;

/**
 * The layout of the journal. The database {@code changes} has blocks of {@link #ROWS} rows, whose
 * keys are the sequences of their first rows: 1, 33 and so on. The rows after the last block, the
 * tail, are the value of {@code changes} in the database {@code meta}, followed by the sequence of
 * the next row in eight bytes. A commit of one change thus writes a page of {@code meta}, which it
 * writes anyway, and not those of a further tree.
 */
final class JournalBlocks {
  /** The rows of a block: three blocks fill a page of 4096 bytes. */
  static final int ROWS = 32;

  static final int BYTES = ROWS * JournalRow.LENGTH;

  private static final byte[] TAIL_KEY = "changes".getBytes(StandardCharsets.US_ASCII);

  private JournalBlocks() {}

  static byte[] tailKey() {
    return TAIL_KEY;
  }

  /** Returns the sequence of the first row of the block that has a sequence. */
  static long first(long sequence) {
    return (sequence - 1) / ROWS * ROWS + 1;
  }

  static boolean isBlock(ByteBuffer key, ByteBuffer value) {
    return key.remaining() == Long.BYTES
        && key.getLong(0) % ROWS == 1
        && value.remaining() == BYTES;
  }

  static boolean isTail(ByteBuffer value) {
    int rows = value.remaining() - Long.BYTES;
    return rows >= 0
        && rows < BYTES
        && rows % JournalRow.LENGTH == 0
        && (value.getLong(rows) - rows / JournalRow.LENGTH) % ROWS == 1;
  }

  /** Returns a copy of the tail of a snapshot; null if the store has had no change. */
  static @Nullable ByteBuffer readTail(TxnHandle slot) {
    ByteBuffer found = slot.get(slot.environment().meta(), TAIL_KEY, TAIL_KEY.length);
    return found == null
        ? null
        : ByteBuffer.allocate(found.remaining()).order(ByteOrder.BIG_ENDIAN).put(found).flip();
  }
}
