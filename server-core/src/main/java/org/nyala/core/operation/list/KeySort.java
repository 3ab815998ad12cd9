package org.nyala.core.operation.list;

import java.util.Arrays;
import org.nyala.core.bytes.ByteAppender;

/**
 * Sorts entry ids by keys of bytes, a bounded number of steps at a time.
 *
 * <p>Confined to one running operation. Merges runs of 1, 2, 4… entries; the first eight bytes of a
 * key stand beside its number, so that most comparisons look nowhere else.
 */
final class KeySort {
  /** Memory for an entry, in bytes, beside its key. */
  static final int BYTES_PER_ENTRY = 28;

  private final ByteAppender bytes = new ByteAppender(1024);
  private long[] ids = new long[16];
  private long[] prefixes = new long[16];
  private int[] ends = new int[16];
  private int count;

  private int[] from = {};
  private int[] to = {};
  private int width;
  private int at;
  private int left;
  private int right;
  private int leftEnd;
  private int rightEnd;

  /** Returns the memory of the entries and keys, in bytes. */
  long memory() {
    return (long) ids.length * BYTES_PER_ENTRY + bytes.array().length;
  }

  /**
   * Returns the buffer to which to append the next entry's key; {@link #add} then adds the entry.
   */
  ByteAppender keys() {
    return bytes;
  }

  /** Adds an entry whose key is the bytes appended since the last call. */
  void add(long id) {
    if (count == ids.length) {
      ids = Arrays.copyOf(ids, 2 * count);
      prefixes = Arrays.copyOf(prefixes, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    int start = start(count);
    ids[count] = id;
    prefixes[count] = prefix(start, bytes.length());
    ends[count] = bytes.length();
    count++;
  }

  private int start(int index) {
    return index == 0 ? 0 : ends[index - 1];
  }

  private long prefix(int start, int end) {
    long prefix = 0;
    byte[] array = bytes.array();
    for (int i = start; i < start + Long.BYTES; i++) {
      prefix = prefix << 8 | (i < end ? array[i] & 0xff : 0);
    }
    return prefix;
  }

  /** Begins to sort the added entries. */
  void begin() {
    from = new int[count];
    to = new int[count];
    for (int i = 0; i < count; i++) {
      from[i] = i;
    }
    width = 1;
    at = 0;
    openRuns();
  }

  /** Moves about the given number of entries; returns true once everything is sorted. */
  boolean step(int moves) {
    int moved = 0;
    while (width < count) {
      if (at == count) {
        nextWidth();
      } else if (at == rightEnd) {
        openRuns();
      } else if (moved >= moves) {
        return false;
      } else {
        moved += merge(moves - moved);
      }
    }
    return true;
  }

  private void nextWidth() {
    int[] merged = to;
    to = from;
    from = merged;
    width = (int) Math.min(2L * width, Integer.MAX_VALUE);
    at = 0;
    openRuns();
  }

  private void openRuns() {
    left = at;
    leftEnd = (int) Math.min((long) at + width, count);
    right = leftEnd;
    rightEnd = (int) Math.min((long) leftEnd + width, count);
  }

  /** Merges up to the given number of entries of the two current runs; returns their number. */
  private int merge(int moves) {
    int moved = 0;
    while (moved < moves && at < rightEnd) {
      boolean takesLeft =
          right == rightEnd || left < leftEnd && compare(from[left], from[right]) <= 0;
      to[at++] = takesLeft ? from[left++] : from[right++];
      moved++;
    }
    return moved;
  }

  private int compare(int one, int other) {
    int byPrefix = Long.compareUnsigned(prefixes[one], prefixes[other]);
    if (byPrefix != 0) {
      return byPrefix;
    }
    byte[] array = bytes.array();
    int byKey =
        Arrays.compareUnsigned(array, start(one), ends[one], array, start(other), ends[other]);
    return byKey != 0 ? byKey : Long.compare(ids[one], ids[other]);
  }

  /** The ids in order, once {@link #step} has said so. */
  long[] sorted() {
    long[] sorted = new long[count];
    for (int i = 0; i < count; i++) {
      sorted[i] = ids[from[i]];
    }
    return sorted;
  }
}
