package org.nyala.lmdb.posting;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.format.IndexKeys;

/**
 * The one cursor on the {@code index} database that all nodes of a search share. It remembers which
 * node positioned it where, so that reading a chunk right after finding it costs no second look-up.
 *
 * <p>Confined to one running operation. Hot.
 */
public final class PostingReader {
  /** Returned if there is no further block. */
  public static final long NONE = -1;

  private final SeekCursor cursor;
  private @Nullable Object owner;
  private long block;
  private boolean isLast;
  private long lookups;

  public PostingReader(SeekCursor cursor) {
    this.cursor = cursor;
  }

  /** Forgets the position of the cursor: at the beginning of each read. */
  public void forget() {
    owner = null;
  }

  /** Moves to the first chunk of a prefix at or after block {@code from}. */
  public long seek(Object asker, byte[] prefix, int length, long from) {
    if (owner == asker && block == from) {
      return isLast ? NONE : block;
    }
    boolean found;
    lookups++;
    if (owner == asker && block == from - 1 && !isLast) {
      found = cursor.next();
    } else if (owner == asker && isLast && block <= from) {
      return NONE;
    } else {
      found = from < IndexKeys.MAXIMUM_BLOCKS && cursor.seekOrNext(prefix, length, (int) from);
    }
    owner = asker;
    if (found) {
      ByteBuffer key = cursor.key();
      if (key.remaining() == length + IndexKeys.BLOCK_LENGTH && beginsWith(key, prefix, length)) {
        block = IndexKeys.blockOf(key) & 0xffff_ffffL;
        isLast = false;
        return block;
      }
    }
    block = from;
    isLast = true;
    return NONE;
  }

  /** Counts work that takes as long as this number of look-ups. */
  public void charge(int cost) {
    lookups += cost;
  }

  /** Returns the number of look-ups since the reader was made. */
  public long lookups() {
    return lookups;
  }

  /** Returns the chunk that the cursor was last moved to. Borrowed until the next call. */
  public ByteBuffer chunk() {
    return cursor.value();
  }

  /**
   * Returns the cursor itself, for walking over many values; its position has no owner afterwards.
   */
  public SeekCursor disown() {
    owner = null;
    return cursor;
  }

  public static boolean beginsWith(ByteBuffer key, byte[] prefix, int length) {
    int at = key.position();
    if (key.remaining() < length) {
      return false;
    }
    // Compares from the end, where the keys of one index differ.
    for (int i = length - 1; i >= 0; i--) {
      if (key.get(at + i) != prefix[i]) {
        return false;
      }
    }
    return true;
  }
}
