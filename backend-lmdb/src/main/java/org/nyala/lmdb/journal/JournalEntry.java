package org.nyala.lmdb.journal;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;

/**
 * A change in the journal, a row of 41 bytes.
 *
 * <pre>
 *  0  u8   1 add, 2 modify, 3 delete, 4 rename; plus 128 if entries below moved, too
 *  1  16   change sequence number: microseconds since 1970 (8); count (24 bits), server (12),
 *          modification (24)
 * 17  16   entryUUID, zeros if the entry has none
 * 33  u64  entry id
 * </pre>
 *
 * <p>Immutable.
 *
 * @param sequence the place in the journal; rises by one with each change
 * @param kind the kind of change
 * @param movesSubordinates true if a rename gave other names to entries below, too
 * @param csn its change sequence number
 * @param entryUuid the permanent identifier of the entry
 * @param entryId the id of the entry
 */
public record JournalEntry(
    long sequence, Kind kind, boolean movesSubordinates, Csn csn, UUID entryUuid, long entryId) {
  /** The kind of a change. */
  public enum Kind {
    ADD(1),
    MODIFY(2),
    DELETE(3),
    RENAME(4);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static @Nullable Kind of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return null;
    }
  }

  /** The number of bytes of a row. */
  static final int LENGTH = 1 + Csn.PACKED_BYTES + 16 + Long.BYTES;

  /** The approximate bytes that a change takes in LMDB's pages: three blocks fill one. */
  static final int ROW_BYTES = 43;

  private static final int MOVES_SUBORDINATES = 0x80;
  private static final int CSN_AT = 1;
  private static final int UUID_AT = CSN_AT + Csn.PACKED_BYTES;
  private static final int ID_AT = UUID_AT + 16;

  /** Appends the row of a change. */
  static void write(
      ByteBuffer target,
      Kind kind,
      boolean movesSubordinates,
      Csn csn,
      long uuidHigh,
      long uuidLow,
      long entryId) {
    target.put((byte) (kind.code | (movesSubordinates ? MOVES_SUBORDINATES : 0)));
    csn.pack(target);
    target.putLong(uuidHigh).putLong(uuidLow).putLong(entryId);
  }

  /** Returns the change of a row; null if its bytes are none. */
  static @Nullable JournalEntry read(long sequence, ByteBuffer rows, int at) {
    int code = rows.get(at) & 0xff;
    Kind kind = Kind.of(code & ~MOVES_SUBORDINATES);
    if (kind == null) {
      return null;
    }
    return new JournalEntry(
        sequence,
        kind,
        (code & MOVES_SUBORDINATES) != 0,
        csn(rows, at),
        new UUID(rows.getLong(at + UUID_AT), rows.getLong(at + UUID_AT + Long.BYTES)),
        rows.getLong(at + ID_AT));
  }

  /** Returns the change sequence number of a row. */
  static Csn csn(ByteBuffer rows, int at) {
    return Csn.unpack(rows, at + CSN_AT);
  }
}
