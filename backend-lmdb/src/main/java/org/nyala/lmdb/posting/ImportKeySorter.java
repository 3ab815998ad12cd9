package org.nyala.lmdb.posting;

import java.util.Arrays;

/**
 * Sorts rows of an arena by key. A row is the key's length (2 bytes) and the key; the bytes after
 * it belong to the caller. No two keys may be the same.
 *
 * <p>Confined to one running operation.
 */
public final class ImportKeySorter {
  /* Multikey quicksort (Bentley and Sedgewick) on words: seven bytes of the key at some depth and,
   * in the last byte, how many of them the key has, 8 when it goes on. Words are fetched once per
   * depth and compared without touching the arena; rows whose words are the same are sorted by
   * their words one depth further on. */
  private static final int WORD_BYTES = 7;
  private static final int GOES_ON = 8;
  private static final int INSERTION_LIMIT = 16;

  private byte[] arena = {};
  private int[] rows = {};
  private long[] words = {};

  /** Sorts the first {@code count} of {@code rows}, which are offsets of rows in the arena. */
  public void sort(byte[] rowArena, int[] rowOffsets, int count) {
    arena = rowArena;
    rows = rowOffsets;
    if (words.length < count) {
      words = new long[count];
    }
    fetch(0, count, 0);
    sort(0, count, 0);
    arena = new byte[0];
    rows = new int[0];
  }

  private void fetch(int from, int to, int depth) {
    for (int i = from; i < to; i++) {
      words[i] = word(rows[i], depth);
    }
  }

  private long word(int row, int depth) {
    byte[] bytes = arena;
    int left = ((bytes[row] & 0xff) << 8 | bytes[row + 1] & 0xff) - depth;
    int at = row + 2 + depth;
    int count = Math.min(left, WORD_BYTES);
    long word = 0;
    for (int i = 0; i < count; i++) {
      word = word << 8 | bytes[at + i] & 0xff;
    }
    word <<= 8 * (GOES_ON - count);
    return (word | Math.min(left, GOES_ON)) ^ Long.MIN_VALUE;
  }

  private void sort(int from, int to, int depth) {
    int low = from;
    int high = to;
    while (high - low > INSERTION_LIMIT) {
      long pivot = pivot(low, high);
      int less = low;
      int more = high;
      for (int i = low; i < more; ) {
        long word = words[i];
        if (word < pivot) {
          swap(i++, less++);
        } else if (word > pivot) {
          swap(i, --more);
        } else {
          i++;
        }
      }
      if ((pivot & 0xff) == GOES_ON) {
        sortNextWord(less, more, depth);
      }
      // Sorts the smaller side by recursion, the larger one in this loop, so that the stack stays
      // short.
      if (less - low < high - more) {
        sort(low, less, depth);
        low = more;
      } else {
        sort(more, high, depth);
        high = less;
      }
    }
    insertionSort(low, high, depth);
  }

  private void sortNextWord(int from, int to, int depth) {
    if (to - from > 1) {
      fetch(from, to, depth + WORD_BYTES);
      sort(from, to, depth + WORD_BYTES);
    }
  }

  private long pivot(int low, int high) {
    int step = (high - low) / 8;
    int middle = low + (high - low) / 2;
    long first = median(words[low], words[low + step], words[low + 2 * step]);
    long second = median(words[middle - step], words[middle], words[middle + step]);
    long third = median(words[high - 1], words[high - 1 - step], words[high - 1 - 2 * step]);
    return median(first, second, third);
  }

  private static long median(long a, long b, long c) {
    return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }

  private void insertionSort(int from, int to, int depth) {
    for (int i = from + 1; i < to; i++) {
      long word = words[i];
      int row = rows[i];
      int at = i;
      while (at > from && comesBefore(word, row, words[at - 1], rows[at - 1], depth)) {
        words[at] = words[at - 1];
        rows[at] = rows[at - 1];
        at--;
      }
      words[at] = word;
      rows[at] = row;
    }
  }

  private boolean comesBefore(long word, int row, long otherWord, int otherRow, int depth) {
    if (word != otherWord) {
      return word < otherWord;
    }
    return (word & 0xff) == GOES_ON && compare(row, otherRow, depth + WORD_BYTES) < 0;
  }

  private int compare(int row, int other, int depth) {
    byte[] bytes = arena;
    int rowEnd = row + 2 + ((bytes[row] & 0xff) << 8 | bytes[row + 1] & 0xff);
    int otherEnd = other + 2 + ((bytes[other] & 0xff) << 8 | bytes[other + 1] & 0xff);
    return Arrays.compareUnsigned(
        bytes, row + 2 + depth, rowEnd, bytes, other + 2 + depth, otherEnd);
  }

  private void swap(int i, int j) {
    long word = words[i];
    words[i] = words[j];
    words[j] = word;
    int row = rows[i];
    rows[i] = rows[j];
    rows[j] = row;
  }

  /**
   * Returns the hash by which keys are gathered.
   *
   * @param multiplier odd and secret, so that nobody can make many keys of one hash
   */
  public static int hash(byte[] key, int length, int multiplier) {
    int hash = length;
    for (int i = 0; i < length; i++) {
      hash = (hash ^ key[i]) * multiplier;
    }
    hash = (hash ^ hash >>> 15) * 0x2c1b3c6d;
    return hash ^ hash >>> 13;
  }
}
