package org.nyala.lmdb.posting;

import java.util.Arrays;
import org.nyala.core.bytes.ByteAppender;

/**
 * The index keys of some entries of one block, each with its entries, gathered in memory until they
 * are sorted and written.
 *
 * <p>Confined to one running operation. Entries come by rising id; a key that an entry has several
 * times counts once. Hot: some hundred keys per entry, no object per key.
 */
public final class PostingBuilder {
  /*
   * A table of (hash, number + 1), a table of postings by number, an arena of keys and a pool of
   * ids. The ids of a posting are in slices of the pool that grow with the posting; the last two
   * chars of a full slice point to the next one. A single id needs no slice.
   */
  private static final int KEY = 0;
  private static final int COUNT = 1;
  private static final int HEAD = 2;
  private static final int AT = 3;
  private static final int END = 4;
  private static final int LAST = 5;
  private static final int STRIDE = 6;

  private static final int FIRST_SLICE = 4;
  private static final int LARGEST_SLICE = 2048;
  private static final int LINK = 2;

  private final ImportKeySorter sorter = new ImportKeySorter();
  private final ByteAppender rowKey = new ByteAppender(512);
  private final ByteAppender rowValue = new ByteAppender(PostingChunk.MAXIMUM_LENGTH);
  private char[] rowIds = {};
  private int[] table = new int[2 << 12];
  private int mask = (1 << 12) - 1;
  private int[] postings = new int[STRIDE << 11];
  private byte[] arena = new byte[1 << 16];
  private char[] pool = new char[1 << 14];
  private int size;
  private int arenaLength;
  private int poolLength;
  private int block;

  /** Forgets everything and keeps the memory. */
  public void start(int newBlock) {
    if (size > 0) {
      Arrays.fill(table, 0);
    }
    size = 0;
    arenaLength = 0;
    poolLength = 0;
    block = newBlock;
  }

  /** Returns the number of different keys. */
  public int size() {
    return size;
  }

  public int block() {
    return block;
  }

  /** Returns the number of bytes in use; the arrays may be twice as large. */
  public long memoryBytes() {
    return 12L * size + 4L * STRIDE * size + 4L * table.length + arenaLength + 2L * poolLength;
  }

  /**
   * Records that an entry has a key.
   *
   * @param hash any hash of the key
   * @param source holds the key without its block
   * @param id the low 16 bits of the entry's id
   */
  public void add(int hash, byte[] source, int offset, int length, int id) {
    int slot = slotOf(hash, source, offset, length);
    int number = table[2 * slot + 1];
    if (number == 0) {
      table[2 * slot] = hash;
      table[2 * slot + 1] = size + 1;
      create(source, offset, length, id);
    } else {
      append((number - 1) * STRIDE, id);
    }
  }

  /**
   * Returns whether an entry has a key.
   *
   * @param hash the hash that it was added with
   */
  boolean contains(int hash, byte[] source, int length) {
    return table[2 * slotOf(hash, source, 0, length) + 1] != 0;
  }

  /** Returns the slot of the table that has a key, or is free for it. */
  private int slotOf(int hash, byte[] source, int offset, int length) {
    int[] slots = table;
    int slot = hash & mask;
    while (slots[2 * slot + 1] != 0) {
      if (slots[2 * slot] == hash) {
        int posting = (slots[2 * slot + 1] - 1) * STRIDE;
        if (isKey(postings[posting + KEY], source, offset, length)) {
          return slot;
        }
      }
      slot = slot + 1 & mask;
    }
    return slot;
  }

  private boolean isKey(int row, byte[] source, int offset, int length) {
    byte[] bytes = arena;
    return ((bytes[row] & 0xff) << 8 | bytes[row + 1] & 0xff) == length
        && Arrays.equals(bytes, row + 2, row + 2 + length, source, offset, offset + length);
  }

  private void create(byte[] source, int offset, int length, int id) {
    int posting = size * STRIDE;
    if (posting == postings.length) {
      postings = Arrays.copyOf(postings, postings.length * 2);
    }
    int row = arenaLength;
    if (arena.length - row < length + 6) {
      arena = Arrays.copyOf(arena, Math.max(arena.length * 2, row + length + 6));
    }
    byte[] bytes = arena;
    bytes[row] = (byte) (length >>> 8);
    bytes[row + 1] = (byte) length;
    System.arraycopy(source, offset, bytes, row + 2, length);
    writeInt(bytes, row + 2 + length, posting);
    arenaLength = row + length + 6;
    postings[posting + KEY] = row;
    postings[posting + COUNT] = 1;
    postings[posting + LAST] = id;
    if (++size > (mask + 1) / 2) {
      grow();
    }
  }

  private void grow() {
    int[] old = table;
    int[] longer = new int[old.length * 2];
    int longerMask = longer.length / 2 - 1;
    for (int i = 0; i < old.length; i += 2) {
      if (old[i + 1] != 0) {
        int slot = old[i] & longerMask;
        while (longer[2 * slot + 1] != 0) {
          slot = slot + 1 & longerMask;
        }
        longer[2 * slot] = old[i];
        longer[2 * slot + 1] = old[i + 1];
      }
    }
    table = longer;
    mask = longerMask;
  }

  private void append(int posting, int id) {
    int[] fields = postings;
    int last = fields[posting + LAST];
    if (last == id) {
      return;
    }
    int count = fields[posting + COUNT];
    if (count == 1) {
      int head = slice(FIRST_SLICE);
      fields[posting + HEAD] = head;
      pool[head] = (char) last;
      fields[posting + AT] = head + 1;
      fields[posting + END] = head + FIRST_SLICE;
    } else if (fields[posting + AT] == fields[posting + END]) {
      int length = sliceLength(count);
      int next = slice(length);
      int link = fields[posting + END];
      pool[link] = (char) (next >>> 16);
      pool[link + 1] = (char) next;
      fields[posting + AT] = next;
      fields[posting + END] = next + length;
    }
    pool[fields[posting + AT]++] = (char) id;
    fields[posting + COUNT] = count + 1;
    fields[posting + LAST] = id;
  }

  private static int sliceLength(int count) {
    return Math.min(LARGEST_SLICE, count);
  }

  private int slice(int length) {
    int start = poolLength;
    int end = start + length + LINK;
    if (end > pool.length) {
      pool = Arrays.copyOf(pool, Math.max(pool.length * 2, end));
    }
    poolLength = end;
    return start;
  }

  /** Sorts the keys; nothing may be added until {@link #start}. */
  public SortedRun sorted() {
    return rows();
  }

  /** Sorts the keys, as {@link #sorted}. */
  Rows rows() {
    int[] rows = new int[size];
    for (int i = 0; i < size; i++) {
      rows[i] = postings[i * STRIDE + KEY];
    }
    sorter.sort(arena, rows, size);
    return new Rows(rows);
  }

  private int copyIds(int posting, char[] target) {
    int count = postings[posting + COUNT];
    if (count == 1) {
      target[0] = (char) postings[posting + LAST];
      return 1;
    }
    int at = postings[posting + HEAD];
    int length = FIRST_SLICE;
    int copied = 0;
    while (true) {
      int part = Math.min(length, count - copied);
      System.arraycopy(pool, at, target, copied, part);
      copied += part;
      if (copied == count) {
        return count;
      }
      at = pool[at + length] << 16 | pool[at + length + 1];
      length = sliceLength(copied);
    }
  }

  private static void writeInt(byte[] bytes, int at, int value) {
    bytes[at] = (byte) (value >>> 24);
    bytes[at + 1] = (byte) (value >>> 16);
    bytes[at + 2] = (byte) (value >>> 8);
    bytes[at + 3] = (byte) value;
  }

  private static int readInt(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 24
        | (bytes[at + 1] & 0xff) << 16
        | (bytes[at + 2] & 0xff) << 8
        | bytes[at + 3] & 0xff;
  }

  /** The postings by rising key, encoded one at a time. Valid until {@link #start}. */
  final class Rows implements SortedRun {
    private final int[] rows;
    private int next;

    Rows(int[] rows) {
      this.rows = rows;
    }

    @Override
    public boolean next() {
      if (next == rows.length) {
        return false;
      }
      int row = rows[next++];
      int length = (arena[row] & 0xff) << 8 | arena[row + 1] & 0xff;
      rowKey.clear().append(arena, row + 2, length).appendInt(block);
      int posting = readInt(arena, row + 2 + length);
      if (rowIds.length < postings[posting + COUNT]) {
        rowIds = new char[Math.min(1 << 16, 2 * postings[posting + COUNT])];
      }
      PostingChunk.encode(rowIds, copyIds(posting, rowIds), rowValue.clear());
      return true;
    }

    @Override
    public ByteAppender key() {
      return rowKey;
    }

    @Override
    public ByteAppender value() {
      return rowValue;
    }
  }
}
