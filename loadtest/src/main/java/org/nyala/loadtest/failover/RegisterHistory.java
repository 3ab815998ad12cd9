package org.nyala.loadtest.failover;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The reads and writes of one register. Immutable, but for the arrays, which are the callee's.
 *
 * @param initial the value before the first write
 * @param starts the times before the requests
 * @param ends the times after the answers; {@link Long#MAX_VALUE} of an operation that may take
 *     effect at any later time, or never
 * @param values what was written or read
 * @param isWrite whether an operation is a write
 * @param places the places of the operations in the history that this one was made from
 */
record RegisterHistory(
    int initial, long[] starts, long[] ends, int[] values, boolean[] isWrite, int[] places) {
  /** A history that was not made from another one. */
  RegisterHistory(int initial, long[] starts, long[] ends, int[] values, boolean[] isWrite) {
    this(initial, starts, ends, values, isWrite, IntStream.range(0, starts.length).toArray());
  }

  /** Returns the place of an operation in the history that this one was made from. */
  int place(int operation) {
    return places[operation];
  }

  int size() {
    return starts.length;
  }

  /**
   * Returns the same history without unknown outcomes, for writes of unique values. A write whose
   * value nobody has read can be left out: nothing tells whether it took effect. One whose value
   * was read took effect before the end of the first read of it.
   */
  RegisterHistory decided() {
    Map<Integer, Long> firstReads = new HashMap<>();
    for (int i = 0; i < size(); i++) {
      if (!isWrite[i] && ends[i] != Long.MAX_VALUE) {
        firstReads.merge(values[i], ends[i], Math::min);
      }
    }
    int[] kept = new int[size()];
    long[] until = ends.clone();
    int count = 0;
    for (int i = 0; i < size(); i++) {
      if (ends[i] == Long.MAX_VALUE) {
        Long first = firstReads.get(values[i]);
        if (!isWrite[i] || first == null) {
          continue;
        }
        until[i] = Math.max(starts[i], first);
      }
      kept[count++] = i;
    }
    int[] left = Arrays.copyOf(kept, count);
    long[] newStarts = new long[count];
    long[] newEnds = new long[count];
    int[] newValues = new int[count];
    boolean[] newWrites = new boolean[count];
    for (int i = 0; i < count; i++) {
      newStarts[i] = starts[left[i]];
      newEnds[i] = until[left[i]];
      newValues[i] = values[left[i]];
      newWrites[i] = isWrite[left[i]];
    }
    return new RegisterHistory(initial, newStarts, newEnds, newValues, newWrites, left);
  }
}
