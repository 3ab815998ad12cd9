package org.nyala.comparison;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The digests of entries by their identifiers, or digests of their names: 32 bytes for each, in
 * blocks, so that they are never copied.
 *
 * <p>Confined to one thread. First all are added, then they are sorted, then looked up.
 */
final class EntryDigests {
  private static final int BLOCK_SHIFT = 14;
  private static final int BLOCK = 1 << BLOCK_SHIFT;
  private static final int WORDS = 4;

  private final List<long[]> blocks = new ArrayList<>();
  private final BitSet taken = new BitSet();
  private int size;

  /** Half of the bits of a digest. */
  record Digest(long high, long low) {}

  void add(UUID uuid, Digest digest) {
    if (size == blocks.size() << BLOCK_SHIFT) {
      blocks.add(new long[BLOCK * WORDS]);
    }
    set(size, 0, uuid.getMostSignificantBits());
    set(size, 1, uuid.getLeastSignificantBits());
    set(size, 2, digest.high());
    set(size, 3, digest.low());
    size++;
  }

  private long get(int at, int word) {
    return blocks.get(at >> BLOCK_SHIFT)[(at & BLOCK - 1) * WORDS + word];
  }

  private void set(int at, int word, long value) {
    blocks.get(at >> BLOCK_SHIFT)[(at & BLOCK - 1) * WORDS + word] = value;
  }

  /** Sorts what was added, in place. */
  void sort() {
    for (int parent = size / 2 - 1; parent >= 0; parent--) {
      sink(parent, size);
    }
    for (int end = size - 1; end > 0; end--) {
      swap(0, end);
      sink(0, end);
    }
  }

  private void sink(int from, int end) {
    int parent = from;
    for (int child = 2 * parent + 1; child < end; child = 2 * parent + 1) {
      if (child + 1 < end && compare(child, child + 1) < 0) {
        child++;
      }
      if (compare(parent, child) >= 0) {
        return;
      }
      swap(parent, child);
      parent = child;
    }
  }

  private int compare(int one, int other) {
    return compare(one, get(other, 0), get(other, 1));
  }

  private int compare(int at, long high, long low) {
    int first = Long.compare(get(at, 0), high);
    return first != 0 ? first : Long.compare(get(at, 1), low);
  }

  private void swap(int one, int other) {
    for (int word = 0; word < WORDS; word++) {
      long value = get(one, word);
      set(one, word, get(other, word));
      set(other, word, value);
    }
  }

  /**
   * Passes on each identifier that was added more than once, and takes all of its entries but the
   * first.
   */
  void repeated(Consumer<UUID> receiver) {
    for (int i = 1; i < size; i++) {
      if (compare(i - 1, i) == 0) {
        if (!taken.get(i - 1)) {
          receiver.accept(uuid(i));
        }
        taken.set(i);
      }
    }
  }

  private UUID uuid(int at) {
    return new UUID(get(at, 0), get(at, 1));
  }

  /** Returns the place of an entry, the first one of several; negative if there is none. */
  int find(UUID uuid) {
    long high = uuid.getMostSignificantBits();
    long low = uuid.getLeastSignificantBits();
    int from = 0;
    int to = size;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (compare(middle, high, low) < 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from < size && compare(from, high, low) == 0 ? from : -1;
  }

  /** Takes an entry; returns false if it was taken before. */
  boolean take(int at) {
    boolean isFirst = !taken.get(at);
    taken.set(at);
    return isFirst;
  }

  /** Returns whether an entry is there that was not taken. */
  boolean isLeft(UUID uuid) {
    int at = find(uuid);
    return at >= 0 && !taken.get(at);
  }

  Digest digest(int at) {
    return new Digest(get(at, 2), get(at, 3));
  }

  /** Returns whether entries are left that were not taken. */
  boolean areLeft() {
    return left() > 0;
  }

  /** Returns the number of entries that were not taken. */
  int left() {
    return size - taken.cardinality();
  }

  /** Passes on the identifiers of entries that were not taken, until the receiver has enough. */
  void left(Predicate<UUID> receiver) {
    int at = taken.nextClearBit(0);
    while (at < size && receiver.test(uuid(at))) {
      at = taken.nextClearBit(at + 1);
    }
  }
}
