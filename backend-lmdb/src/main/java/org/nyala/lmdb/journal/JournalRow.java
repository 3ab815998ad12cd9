package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.JournalEntry.Kind;

/**
 * The rows of the journal, of 41 bytes each.
 *
 * <pre>
 *  0  u8   1 add, 2 modify, 3 delete, 4 rename; plus 128 if entries below moved, too
 *  1  16   change sequence number: microseconds since 1970 (8); count (24 bits), server (12),
 *          modification (24)
 * 17  16   entryUUID, zeros if the entry has none
 * 33  u16  number of the naming context, from 0
 * 35  u48  entry id
 * </pre>
 */
final class JournalRow {
  /** The number of bytes of a row. */
  static final int LENGTH = 1 + Csn.PACKED_BYTES + 16 + Long.BYTES;

  /** The approximate bytes that a change takes in LMDB's pages: three blocks fill one. */
  static final int ROW_BYTES = 43;

  private static final int MOVES_SUBORDINATES = 0x80;
  private static final int CSN_AT = 1;
  private static final int UUID_AT = CSN_AT + Csn.PACKED_BYTES;
  private static final int ID_AT = UUID_AT + 16;
  private static final int ID_BITS = 48;

  private JournalRow() {}

  /** Returns the first byte of a row. */
  static byte code(Kind kind, boolean movesSubordinates) {
    int code =
        switch (kind) {
          case ADD -> 1;
          case MODIFY -> 2;
          case DELETE -> 3;
          case RENAME -> 4;
        };
    return (byte) (code | (movesSubordinates ? MOVES_SUBORDINATES : 0));
  }

  /** Appends the row of a change, whose first byte is {@link #code}. */
  static void write(
      ByteBuffer target,
      byte code,
      int context,
      Csn csn,
      long uuidHigh,
      long uuidLow,
      long entryId) {
    target.put(code);
    csn.pack(target);
    target.putLong(uuidHigh).putLong(uuidLow).putLong((long) context << ID_BITS | entryId);
  }

  /** Returns the change of a row; null if its bytes are none. */
  static @Nullable JournalEntry read(long sequence, ByteBuffer rows, int at) {
    int code = rows.get(at) & 0xff;
    Kind kind = kind(code & ~MOVES_SUBORDINATES);
    if (kind == null) {
      return null;
    }
    long entry = rows.getLong(at + ID_AT);
    return new JournalEntry(
        sequence,
        kind,
        (code & MOVES_SUBORDINATES) != 0,
        (int) (entry >>> ID_BITS),
        csn(rows, at),
        new UUID(rows.getLong(at + UUID_AT), rows.getLong(at + UUID_AT + Long.BYTES)),
        entry & (1L << ID_BITS) - 1);
  }

  /** Returns the change sequence number of a row. */
  static Csn csn(ByteBuffer rows, int at) {
    return Csn.unpack(rows, at + CSN_AT);
  }

  private static @Nullable Kind kind(int code) {
    return switch (code) {
      case 1 -> Kind.ADD;
      case 2 -> Kind.MODIFY;
      case 3 -> Kind.DELETE;
      case 4 -> Kind.RENAME;
      default -> null;
    };
  }
}
