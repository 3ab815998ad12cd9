package org.nyala.lmdb.ldif;

import java.util.Arrays;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.format.Dn2IdKeys;
import org.nyala.lmdb.posting.ImportKeySorter;
import org.nyala.lmdb.posting.SortedRun;

/**
 * Rows of {@code dn2id} gathered in memory until they are sorted and written.
 *
 * <p>Confined to one running operation. No two keys may be the same.
 */
final class ImportNames {
  private final ImportKeySorter sorter = new ImportKeySorter();
  private final ByteAppender arena = new ByteAppender(1 << 16);
  private int[] rows = new int[1 << 11];
  private int size;

  /** Forgets everything and keeps the memory. */
  void clear() {
    arena.clear();
    size = 0;
  }

  /** Returns the number of rows. */
  int size() {
    return size;
  }

  /** Returns the number of bytes of memory in use. */
  long memoryBytes() {
    return 12L * size + arena.length();
  }

  void add(long parentId, byte[] normalizedName, long entryId) {
    if (size == rows.length) {
      rows = Arrays.copyOf(rows, size * 2);
    }
    rows[size++] = arena.length();
    int at = arena.length();
    arena.appendShort(0);
    Dn2IdKeys.append(parentId, normalizedName, arena);
    int keyLength = arena.length() - at - 2;
    arena.array()[at] = (byte) (keyLength >>> 8);
    arena.array()[at + 1] = (byte) keyLength;
    arena.appendLong(entryId);
  }

  /** Sorts the rows; nothing may be added until {@link #clear}. */
  SortedRun sorted() {
    sorter.sort(arena.array(), rows, size);
    return new Rows();
  }

  /** The rows by rising key. */
  private final class Rows implements SortedRun {
    private final ByteAppender key = new ByteAppender(512);
    private final ByteAppender value = new ByteAppender(Long.BYTES);
    private int next;

    @Override
    public boolean next() {
      if (next == size) {
        return false;
      }
      byte[] bytes = arena.array();
      int row = rows[next++];
      int length = (bytes[row] & 0xff) << 8 | bytes[row + 1] & 0xff;
      key.clear().append(bytes, row + 2, length);
      value.clear().append(bytes, row + 2 + length, Long.BYTES);
      return true;
    }

    @Override
    public ByteAppender key() {
      return key;
    }

    @Override
    public ByteAppender value() {
      return value;
    }
  }
}
