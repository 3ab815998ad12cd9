package org.nyala.core.operation.list;

import java.util.Arrays;
import java.util.BitSet;
import org.nyala.core.backend.ValueOrder;

/**
 * Sorts entry ids by walking an index that lists all entries by their values, a bounded number of
 * steps at a time, without reading entries.
 *
 * <p>Confined to one running operation.
 */
final class IndexSort {
  /** Memory for an entry, in bytes, beside the ids to be sorted. */
  static final int BYTES_PER_ENTRY = 9;

  /** Pairs in the index for each entry to be sorted, beyond which reading the entries is less. */
  private static final int PAIRS_PER_ENTRY = 8;

  private final long[] ids;
  private final boolean reverse;
  private final BitSet seen;
  private final long[] ordered;
  private final long maximumPairs;
  private int placed;
  private int groupStart;
  private long pairs;
  private byte[] position = {};

  /**
   * Begins to sort.
   *
   * @param ids the entry ids, rising
   * @param reverse true if the greatest value comes first
   */
  IndexSort(long[] ids, boolean reverse) {
    this.ids = ids;
    this.reverse = reverse;
    this.seen = new BitSet(ids.length);
    this.ordered = new long[ids.length];
    this.maximumPairs = (long) ids.length * PAIRS_PER_ENTRY;
  }

  /** Returns the position of the walk; empty at first. */
  byte[] position() {
    return position;
  }

  /** Returns whether the index has so many other entries that reading the entries costs less. */
  boolean isTooLong() {
    return pairs > maximumPairs;
  }

  /** Reads up to {@code most} pairs; true at the end of the index, or if all entries were found. */
  boolean step(ValueOrder walk, int most) {
    for (int i = 0; i < most; i++) {
      if (placed == ids.length || !walk.next()) {
        return true;
      }
      pairs++;
      if (walk.startsValue()) {
        closeGroup();
      }
      int index = Arrays.binarySearch(ids, walk.entryId());
      if (index >= 0 && !seen.get(index)) {
        seen.set(index);
        ordered[placed++] = ids[index];
      }
    }
    return false;
  }

  /** Remembers the position of the walk before its transaction ends. */
  void pause(ValueOrder walk) {
    position = walk.position();
  }

  /**
   * Sorts entries with the same value by ascending id; by descending id if the whole list will be
   * reversed.
   */
  private void closeGroup() {
    if (placed - groupStart > 1) {
      Arrays.sort(ordered, groupStart, placed);
      if (reverse) {
        turn(groupStart, placed);
      }
    }
    groupStart = placed;
  }

  private void turn(int start, int end) {
    for (int low = start, high = end - 1; low < high; low++, high--) {
      long id = ordered[low];
      ordered[low] = ordered[high];
      ordered[high] = id;
    }
  }

  /**
   * Returns the ids in order, once {@link #step} has finished. Entries without a value are largest.
   */
  long[] sorted() {
    closeGroup();
    int present = placed;
    for (int i = seen.nextClearBit(0); i < ids.length; i = seen.nextClearBit(i + 1)) {
      ordered[placed++] = ids[i];
    }
    if (!reverse) {
      return ordered;
    }
    turn(0, present);
    long[] sorted = new long[ids.length];
    System.arraycopy(ordered, present, sorted, 0, ids.length - present);
    System.arraycopy(ordered, 0, sorted, ids.length - present, present);
    return sorted;
  }
}
