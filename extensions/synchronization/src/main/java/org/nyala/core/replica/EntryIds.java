package org.nyala.core.replica;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * A set of entry ids: 8 KiB for each 65,536 ids of which it has one, so that 10 million entries
 * take little more than a megabyte.
 *
 * <p>Thread-safe.
 */
final class EntryIds {
  private static final int PAGE_SHIFT = 16;
  private static final int WORDS = 1 << PAGE_SHIFT - 6;

  /** The ids that are copied at a time. */
  private static final int COPIED = 1 << 12;

  private final TreeMap<Long, long[]> pages = new TreeMap<>();
  private long size;

  synchronized void add(long id) {
    long[] page = pages.computeIfAbsent(id >>> PAGE_SHIFT, _ -> new long[WORDS]);
    int word = word(id);
    long bit = 1L << id;
    if ((page[word] & bit) == 0) {
      page[word] |= bit;
      size++;
    }
  }

  synchronized void remove(long id) {
    long[] page = pages.get(id >>> PAGE_SHIFT);
    int word = word(id);
    long bit = 1L << id;
    if (page != null && (page[word] & bit) != 0) {
      page[word] &= ~bit;
      size--;
    }
  }

  /** Adds all ids of another set, which nothing else changes meanwhile. */
  void addAll(EntryIds other) {
    other.forEach(this::add);
  }

  /** Removes all ids of another set, which nothing else changes meanwhile. */
  void removeAll(EntryIds other) {
    other.forEach(this::remove);
  }

  private void forEach(LongConsumer action) {
    long[] next = below(Long.MAX_VALUE, COPIED);
    while (next.length > 0) {
      for (long each : next) {
        action.accept(each);
      }
      next = below(next[next.length - 1], COPIED);
    }
  }

  synchronized void clear() {
    pages.clear();
    size = 0;
  }

  synchronized boolean contains(long id) {
    long[] page = pages.get(id >>> PAGE_SHIFT);
    return page != null && (page[word(id)] & 1L << id) != 0;
  }

  synchronized long size() {
    return size;
  }

  /**
   * Returns ids below a bound, the largest ones, in falling order: entries below others usually
   * have larger ids than those.
   *
   * @param most the maximum number
   */
  synchronized long[] below(long bound, int most) {
    long[] ids = new long[most];
    int count = 0;
    for (Map.Entry<Long, long[]> each :
        pages.headMap(bound >>> PAGE_SHIFT, true).descendingMap().entrySet()) {
      if (count == most) {
        break;
      }
      long first = each.getKey() << PAGE_SHIFT;
      long[] page = each.getValue();
      for (int word = WORDS - 1; word >= 0 && count < most; word--) {
        long bits = page[word];
        while (bits != 0 && count < most) {
          int bit = Long.SIZE - 1 - Long.numberOfLeadingZeros(bits);
          bits &= ~(1L << bit);
          long id = first + ((long) word << 6) + bit;
          if (id < bound) {
            ids[count++] = id;
          }
        }
      }
    }
    return Arrays.copyOf(ids, count);
  }

  private static int word(long id) {
    return (int) (id >>> 6) & WORDS - 1;
  }
}
