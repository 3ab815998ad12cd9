package org.nyala.lmdb;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.nyala.core.schema.ByteAppender;

/**
 * A set of entry ids within one block, reused from block to block: a sorted array while it is
 * small, else a bitmap.
 *
 * <p>Confined to one running operation. Hot. Chunks are read in place.
 */
final class BlockSet {
  /** The most ids that are kept as an array; more take less room as a bitmap. */
  static final int SPARSE_LIMIT = 4096;

  private static final int WORDS = PostingChunk.WORDS;
  private static final int END = -1;

  private char[] ids = new char[16];
  private char[] spare = new char[16];
  private long[] words = {};
  private int count;
  private int at;
  private boolean dense;

  /** Removes everything. */
  void clear() {
    count = 0;
    at = 0;
    dense = false;
  }

  /** Adds every id of the block. */
  void fill() {
    clear();
    toDense();
    Arrays.fill(words, -1L);
  }

  /** Adds one id, 0 to 65,535. */
  void add(int id) {
    if (dense) {
      words[id >>> 6] |= 1L << id;
      return;
    }
    int index = count == 0 || ids[count - 1] < id ? -count - 1 : search(id);
    if (index >= 0) {
      return;
    }
    if (count == SPARSE_LIMIT) {
      toDense();
      words[id >>> 6] |= 1L << id;
      return;
    }
    if (count == ids.length) {
      ids = Arrays.copyOf(ids, count * 2);
    }
    int insertAt = -index - 1;
    System.arraycopy(ids, insertAt, ids, insertAt + 1, count - insertAt);
    ids[insertAt] = (char) id;
    count++;
  }

  /** Removes one id, 0 to 65,535. */
  void remove(int id) {
    if (dense) {
      words[id >>> 6] &= ~(1L << id);
      return;
    }
    int index = search(id);
    if (index >= 0) {
      System.arraycopy(ids, index + 1, ids, index, count - index - 1);
      count--;
    }
  }

  /** Whether an id is there. */
  boolean contains(int id) {
    return dense ? (words[id >>> 6] >>> id & 1) != 0 : search(id) >= 0;
  }

  /** How many ids are there. */
  int cardinality() {
    if (!dense) {
      return count;
    }
    int sum = 0;
    for (int i = 0; i < WORDS; i++) {
      sum += Long.bitCount(words[i]);
    }
    return sum;
  }

  /** Whether nothing is there. */
  boolean isEmpty() {
    if (!dense) {
      return count == 0;
    }
    for (int i = 0; i < WORDS; i++) {
      if (words[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /** Puts {@link #next()} before the first id that is not below {@code from}. */
  void startFrom(int from) {
    at = from;
    if (!dense) {
      int index = search(from);
      at = index >= 0 ? index : -index - 1;
    }
  }

  /** Leaves no {@link #next()} id. */
  void skipRest() {
    at = dense ? 1 << 16 : count;
  }

  /** The next id from where {@link #startFrom} was put, or -1. */
  int next() {
    if (!dense) {
      return at < count ? ids[at++] : END;
    }
    if (at >= 1 << 16) {
      return END;
    }
    int word = at >>> 6;
    long bits = words[word] & -1L << at;
    while (bits == 0) {
      if (++word == WORDS) {
        at = 1 << 16;
        return END;
      }
      bits = words[word];
    }
    int id = (word << 6) + Long.numberOfTrailingZeros(bits);
    at = id + 1;
    return id;
  }

  /** Becomes the content of a chunk. */
  void load(ByteBuffer chunk) {
    clear();
    or(chunk);
  }

  /** Adds the content of a chunk. */
  void or(ByteBuffer chunk) {
    int start = chunk.position();
    int length = chunk.remaining();
    if (length == 2) {
      add(chunk.getShort(start) & 0xffff);
      return;
    }
    switch (chunk.get(start)) {
      case PostingChunk.ARRAY -> orArray(chunk, start + 1, (length - 1) / 2);
      case PostingChunk.RUNS -> orRuns(chunk, start + 1, (length - 1) / 4);
      default -> {
        toDense();
        for (int i = 0; i < WORDS; i++) {
          words[i] |= chunk.getLong(start + 1 + 8 * i);
        }
      }
    }
  }

  private void orArray(ByteBuffer chunk, int start, int length) {
    if (!dense && count + length <= SPARSE_LIMIT) {
      mergeArray(chunk, start, length);
      return;
    }
    toDense();
    for (int i = 0; i < length; i++) {
      int id = chunk.getShort(start + 2 * i) & 0xffff;
      words[id >>> 6] |= 1L << id;
    }
  }

  private void mergeArray(ByteBuffer chunk, int start, int length) {
    if (spare.length < count + length) {
      spare = new char[Math.max(count + length, 2 * spare.length)];
    }
    int merged = 0;
    int mine = 0;
    int theirs = 0;
    while (mine < count || theirs < length) {
      int left = mine < count ? ids[mine] : 1 << 16;
      int right = theirs < length ? chunk.getShort(start + 2 * theirs) & 0xffff : 1 << 16;
      spare[merged++] = (char) Math.min(left, right);
      mine += left <= right ? 1 : 0;
      theirs += right <= left ? 1 : 0;
    }
    swap(merged);
  }

  private void swap(int newCount) {
    char[] old = ids;
    ids = spare;
    spare = old;
    count = newCount;
  }

  private void orRuns(ByteBuffer chunk, int start, int length) {
    if (!dense && count == 0 && appendShortRuns(chunk, start, length)) {
      return;
    }
    toDense();
    for (int i = 0; i < length; i++) {
      int first = chunk.getShort(start + 4 * i) & 0xffff;
      int last = first + (chunk.getShort(start + 4 * i + 2) & 0xffff);
      setRange(first, last);
    }
  }

  /** Runs of few ids stay an array: clearing a bitmap would cost more. */
  private boolean appendShortRuns(ByteBuffer chunk, int start, int length) {
    for (int i = 0; i < length; i++) {
      int first = chunk.getShort(start + 4 * i) & 0xffff;
      int last = first + (chunk.getShort(start + 4 * i + 2) & 0xffff);
      if (count + last - first >= SPARSE_LIMIT / 8) {
        return false;
      }
      for (int id = first; id <= last; id++) {
        add(id);
      }
    }
    return true;
  }

  /** Sets the bits {@code first} to {@code last}, both included. */
  private void setRange(int first, int last) {
    int firstWord = first >>> 6;
    int lastWord = last >>> 6;
    long head = -1L << first;
    long tail = -1L >>> ~last;
    if (firstWord == lastWord) {
      words[firstWord] |= head & tail;
      return;
    }
    words[firstWord] |= head;
    Arrays.fill(words, firstWord + 1, lastWord, -1L);
    words[lastWord] |= tail;
  }

  /** Keeps only what is in a chunk too. */
  void and(ByteBuffer chunk) {
    if (!dense) {
      retain(chunk, true);
      return;
    }
    int start = chunk.position();
    int length = chunk.remaining();
    boolean isBitmap = length == PostingChunk.MAXIMUM_LENGTH && chunk.get(start) == 2;
    if (isBitmap) {
      for (int i = 0; i < WORDS; i++) {
        words[i] &= chunk.getLong(start + 1 + 8 * i);
      }
    } else if (length > 2 && chunk.get(start) == PostingChunk.RUNS) {
      andRuns(chunk, start + 1, (length - 1) / 4);
    } else {
      andArray(chunk, start, length);
    }
  }

  private void andRuns(ByteBuffer chunk, int start, int length) {
    int from = 0;
    for (int i = 0; i < length; i++) {
      int first = chunk.getShort(start + 4 * i) & 0xffff;
      clearRange(from, first);
      from = first + (chunk.getShort(start + 4 * i + 2) & 0xffff) + 1;
    }
    clearRange(from, 1 << 16);
  }

  /** Clears the bits from {@code first} up to but not including {@code end}. */
  private void clearRange(int first, int end) {
    if (first >= end) {
      return;
    }
    int firstWord = first >>> 6;
    int lastWord = end - 1 >>> 6;
    long head = -1L << first;
    long tail = -1L >>> -end;
    if (firstWord == lastWord) {
      words[firstWord] &= ~(head & tail);
      return;
    }
    words[firstWord] &= ~head;
    Arrays.fill(words, firstWord + 1, lastWord, 0L);
    words[lastWord] &= ~tail;
  }

  /** The result of an array chunk and a bitmap is an array. */
  private void andArray(ByteBuffer chunk, int start, int length) {
    int first = length == 2 ? start : start + 1;
    int elements = length / 2;
    if (spare.length < elements) {
      spare = new char[elements];
    }
    int kept = 0;
    for (int i = 0; i < elements; i++) {
      int id = chunk.getShort(first + 2 * i) & 0xffff;
      if ((words[id >>> 6] >>> id & 1) != 0) {
        spare[kept++] = (char) id;
      }
    }
    dense = false;
    swap(kept);
  }

  /** Removes what is in a chunk. */
  void andNot(ByteBuffer chunk) {
    if (!dense) {
      retain(chunk, false);
      return;
    }
    int start = chunk.position();
    int length = chunk.remaining();
    if (length == PostingChunk.MAXIMUM_LENGTH && chunk.get(start) == PostingChunk.BITMAP) {
      for (int i = 0; i < WORDS; i++) {
        words[i] &= ~chunk.getLong(start + 1 + 8 * i);
      }
    } else if (length > 2 && chunk.get(start) == PostingChunk.RUNS) {
      for (int i = start + 1; i < start + length; i += 4) {
        int first = chunk.getShort(i) & 0xffff;
        clearRange(first, first + (chunk.getShort(i + 2) & 0xffff) + 1);
      }
    } else {
      for (int i = length == 2 ? start : start + 1; i < start + length; i += 2) {
        int id = chunk.getShort(i) & 0xffff;
        words[id >>> 6] &= ~(1L << id);
      }
    }
  }

  private void retain(ByteBuffer chunk, boolean wanted) {
    int kept = 0;
    char[] mine = ids;
    for (int i = 0; i < count; i++) {
      if (PostingChunk.contains(chunk, mine[i]) == wanted) {
        mine[kept++] = mine[i];
      }
    }
    count = kept;
  }

  /** Keeps only what is in another set too. */
  void and(BlockSet other) {
    if (!dense) {
      retain(other, true);
    } else if (other.dense) {
      for (int i = 0; i < WORDS; i++) {
        words[i] &= other.words[i];
      }
    } else {
      if (spare.length < other.count) {
        spare = new char[other.count];
      }
      int kept = 0;
      for (int i = 0; i < other.count; i++) {
        if (contains(other.ids[i])) {
          spare[kept++] = other.ids[i];
        }
      }
      dense = false;
      swap(kept);
    }
  }

  /** Removes what is in another set. */
  void andNot(BlockSet other) {
    if (!dense) {
      retain(other, false);
    } else if (other.dense) {
      for (int i = 0; i < WORDS; i++) {
        words[i] &= ~other.words[i];
      }
    } else {
      for (int i = 0; i < other.count; i++) {
        remove(other.ids[i]);
      }
    }
  }

  private void retain(BlockSet other, boolean wanted) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (other.contains(ids[i]) == wanted) {
        ids[kept++] = ids[i];
      }
    }
    count = kept;
  }

  /** Adds what is in another set. */
  void or(BlockSet other) {
    if (other.dense) {
      toDense();
      for (int i = 0; i < WORDS; i++) {
        words[i] |= other.words[i];
      }
    } else {
      orIds(other.ids, other.count);
    }
  }

  private void orIds(char[] others, int length) {
    if (dense || count + length > SPARSE_LIMIT) {
      toDense();
      for (int i = 0; i < length; i++) {
        words[others[i] >>> 6] |= 1L << others[i];
      }
      return;
    }
    if (spare.length < count + length) {
      spare = new char[Math.max(count + length, 2 * spare.length)];
    }
    int merged = 0;
    int mine = 0;
    int theirs = 0;
    while (mine < count || theirs < length) {
      int left = mine < count ? ids[mine] : 1 << 16;
      int right = theirs < length ? others[theirs] : 1 << 16;
      spare[merged++] = (char) Math.min(left, right);
      mine += left <= right ? 1 : 0;
      theirs += right <= left ? 1 : 0;
    }
    swap(merged);
  }

  /** Appends the content as a {@link PostingChunk}; there must be some. */
  void encode(ByteAppender target) {
    int size = cardinality();
    char[] all = dense ? new char[size] : ids;
    if (dense) {
      startFrom(0);
      for (int i = 0; i < size; i++) {
        all[i] = (char) next();
      }
    }
    PostingChunk.encode(all, size, target);
  }

  private int search(int id) {
    return Arrays.binarySearch(ids, 0, count, (char) id);
  }

  private void toDense() {
    if (dense) {
      return;
    }
    if (words.length == 0) {
      words = new long[WORDS];
    } else {
      Arrays.fill(words, 0);
    }
    for (int i = 0; i < count; i++) {
      words[ids[i] >>> 6] |= 1L << ids[i];
    }
    count = 0;
    dense = true;
  }
}
