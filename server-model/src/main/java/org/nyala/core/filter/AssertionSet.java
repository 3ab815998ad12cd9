package org.nyala.core.filter;

import java.util.Arrays;
import java.util.SortedSet;

/**
 * Different assertions that are compared with values by their bytes: a value is looked up among all
 * of them. In order, not hashed, as clients choose them.
 *
 * <p>Immutable.
 */
final class AssertionSet {
  private final byte[][] sorted;

  /**
   * Copies a set.
   *
   * @param assertions the assertions, in the order of {@link #compare}
   */
  AssertionSet(SortedSet<byte[]> assertions) {
    this.sorted = assertions.toArray(new byte[0][]);
  }

  /** Orders by length first, which distinguishes most. */
  static int compare(byte[] one, byte[] other) {
    return one.length != other.length
        ? Integer.compare(one.length, other.length)
        : Arrays.compareUnsigned(one, other);
  }

  int size() {
    return sorted.length;
  }

  byte[] get(int index) {
    return sorted[index];
  }

  /** The index of the assertion with these bytes; negative if there is none. */
  int find(byte[] value, int length) {
    int low = 0;
    int high = sorted.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      byte[] each = sorted[middle];
      int order =
          each.length != length
              ? Integer.compare(each.length, length)
              : Arrays.compareUnsigned(each, 0, length, value, 0, length);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }
}
