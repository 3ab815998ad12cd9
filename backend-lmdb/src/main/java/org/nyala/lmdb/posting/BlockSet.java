package org.nyala.lmdb.posting;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.nyala.core.bytes.ByteAppender;

/**
 * A set of entry ids within one block, reused from block to block: a sorted array while it is
 * small, otherwise a bitmap.
 *
 * <p>Confined to one running operation. Hot. Chunks are read in place.
 */
public final class BlockSet {
  /** The most ids that are kept as an array; more take less memory as a bitmap. */
  static final int SPARSE_LIMIT = 4096;

  private static final int WORDS = PostingChunk.WORDS;
  private static final int END = -1;
  private static final int OVERHEAD_BYTES = 160;
  private static final long[] NO_WORDS = {};
  private char[] ids = new char[16];
  private char[] spare = new char[16];
  private long[] words = NO_WORDS;
  private int count;
  private int at;
  private boolean dense;

  /** Returns its approximate size in memory. */
  public long bytes() {
    return OVERHEAD_BYTES + 2L * (ids.length + spare.length) + 8L * words.length;
  }

  /** Releases memory that is not in use, for a set that is kept unchanged. */
  public void trim() {
    spare = new char[16];
    if (dense) {
      ids = new char[16];
    } else {
      ids = Arrays.copyOf(ids, Math.max(16, count));
      words = NO_WORDS;
    }
  }

  /** Removes everything. */
  public void clear() {
    count = 0;
    at = 0;
    dense = false;
  }

  /** Adds every id of the block. */
  public void fill() {
    clear();
    toDense();
    Arrays.fill(words, -1L);
  }

  /** Adds one id, 0 to 65,535. */
  public void add(int id) {
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

  boolean contains(int id) {
    return dense ? (words[id >>> 6] >>> id & 1) != 0 : search(id) >= 0;
  }

  /** Returns the number of ids. */
  public int cardinality() {
    return dense ? BlockBits.cardinality(words) : count;
  }

  public boolean isEmpty() {
    return dense ? BlockBits.isEmpty(words) : count == 0;
  }

  /** Puts {@link #next()} before the first id that is not below {@code from}. */
  public void startFrom(int from) {
    at = from;
    if (!dense) {
      int index = search(from);
      at = index >= 0 ? index : -index - 1;
    }
  }

  /** Skips all ids, so that there is no {@link #next()} one. */
  public void skipRest() {
    at = dense ? 1 << 16 : count;
  }

  /** Returns whether there is a {@link #next()} id. */
  public boolean hasNext() {
    return dense ? at < 1 << 16 && BlockBits.next(words, at) >= 0 : at < count;
  }

  /** Returns the next id from the position set by {@link #startFrom}, or -1. */
  public int next() {
    if (!dense) {
      return at < count ? ids[at++] : END;
    }
    if (at >= 1 << 16) {
      return END;
    }
    int id = BlockBits.next(words, at);
    if (id == END) {
      at = 1 << 16;
      return END;
    }
    at = id + 1;
    return id;
  }

  /** Replaces the content by that of a chunk. */
  public void load(ByteBuffer chunk) {
    clear();
    or(chunk);
  }

  /** Adds the content of a chunk. */
  public void or(ByteBuffer chunk) {
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
        BlockBits.orBitmap(words, chunk, start + 1);
      }
    }
  }

  private void orArray(ByteBuffer chunk, int start, int length) {
    if (!dense && count + length <= SPARSE_LIMIT) {
      mergeArray(chunk, start, length);
      return;
    }
    toDense();
    BlockBits.orArray(words, chunk, start, length);
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
    BlockBits.orRuns(words, chunk, start, length);
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

  /** Keeps only the ids that are in a chunk too. */
  public void and(ByteBuffer chunk) {
    if (!dense) {
      retain(chunk);
      return;
    }
    int start = chunk.position();
    int length = chunk.remaining();
    boolean isBitmap = length == PostingChunk.MAXIMUM_LENGTH && chunk.get(start) == 2;
    if (isBitmap) {
      BlockBits.andBitmap(words, chunk, start + 1);
    } else if (length > 2 && chunk.get(start) == PostingChunk.RUNS) {
      BlockBits.andRuns(words, chunk, start + 1, (length - 1) / 4);
    } else {
      andArray(chunk, start, length);
    }
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

  private void retain(ByteBuffer chunk) {
    int kept = 0;
    char[] mine = ids;
    for (int i = 0; i < count; i++) {
      if (PostingChunk.contains(chunk, mine[i])) {
        mine[kept++] = mine[i];
      }
    }
    count = kept;
  }

  /** Keeps only the ids that are in another set too. */
  public void and(BlockSet other) {
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

  /** Removes the ids that are in another set. */
  public void andNot(BlockSet other) {
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

  /** Adds the ids of another set. */
  public void or(BlockSet other) {
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

  /** Appends the content as a {@link PostingChunk}; the set must not be empty. */
  public void encode(ByteAppender target) {
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

  /** Changes to a bitmap, which is less work if many ids are to be added. */
  public void toDense() {
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

  /**
   * A set of entry ids within one block as a bitmap, with the operations of stored chunks on it: id
   * i is bit {@code i & 63} of word {@code i >>> 6}. The owner of the bitmap makes it of the right
   * length, {@link PostingChunk#WORDS}.
   *
   * <p>Hot. Chunks are read in place; chunks of arrays and runs are passed as the offset and the
   * number of their elements.
   */
  private static final class BlockBits {
    private static final int WORDS = PostingChunk.WORDS;

    private BlockBits() {}

    /** Returns the number of ids. */
    static int cardinality(long[] words) {
      int sum = 0;
      for (int i = 0; i < WORDS; i++) {
        sum += Long.bitCount(words[i]);
      }
      return sum;
    }

    static boolean isEmpty(long[] words) {
      for (int i = 0; i < WORDS; i++) {
        if (words[i] != 0) {
          return false;
        }
      }
      return true;
    }

    /**
     * Returns the first id that is not below {@code from}, which is 65,535 at most; -1 if there is
     * none.
     */
    static int next(long[] words, int from) {
      int word = from >>> 6;
      long bits = words[word] & -1L << from;
      while (bits == 0) {
        if (++word == WORDS) {
          return -1;
        }
        bits = words[word];
      }
      return (word << 6) + Long.numberOfTrailingZeros(bits);
    }

    /** Adds the ids of an array chunk. */
    static void orArray(long[] words, ByteBuffer chunk, int start, int length) {
      for (int i = 0; i < length; i++) {
        int id = chunk.getShort(start + 2 * i) & 0xffff;
        words[id >>> 6] |= 1L << id;
      }
    }

    /** Adds the ids of a chunk of runs. */
    static void orRuns(long[] words, ByteBuffer chunk, int start, int length) {
      for (int i = 0; i < length; i++) {
        int first = chunk.getShort(start + 4 * i) & 0xffff;
        int last = first + (chunk.getShort(start + 4 * i + 2) & 0xffff);
        setRange(words, first, last);
      }
    }

    /** Adds the ids of a bitmap chunk. */
    static void orBitmap(long[] words, ByteBuffer chunk, int start) {
      for (int i = 0; i < WORDS; i++) {
        words[i] |= chunk.getLong(start + 8 * i);
      }
    }

    /** Keeps only the ids that are in a bitmap chunk too. */
    static void andBitmap(long[] words, ByteBuffer chunk, int start) {
      for (int i = 0; i < WORDS; i++) {
        words[i] &= chunk.getLong(start + 8 * i);
      }
    }

    /** Keeps only the ids that are in a chunk of runs too. */
    static void andRuns(long[] words, ByteBuffer chunk, int start, int length) {
      int from = 0;
      for (int i = 0; i < length; i++) {
        int first = chunk.getShort(start + 4 * i) & 0xffff;
        clearRange(words, from, first);
        from = first + (chunk.getShort(start + 4 * i + 2) & 0xffff) + 1;
      }
      clearRange(words, from, 1 << 16);
    }

    /** Sets the bits {@code first} to {@code last}, both included. */
    private static void setRange(long[] words, int first, int last) {
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

    /** Clears the bits from {@code first} up to but not including {@code end}. */
    private static void clearRange(long[] words, int first, int end) {
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
  }
}
