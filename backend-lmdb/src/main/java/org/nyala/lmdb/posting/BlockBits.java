package org.nyala.lmdb.posting;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A set of entry ids within one block as a bitmap, with the operations of stored chunks on it: id i
 * is bit {@code i & 63} of word {@code i >>> 6}. The owner of the bitmap makes it of the right
 * length, {@link PostingChunk#WORDS}.
 *
 * <p>Hot. Chunks are read in place; chunks of arrays and runs are passed as the offset and the
 * number of their elements.
 */
final class BlockBits {
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
