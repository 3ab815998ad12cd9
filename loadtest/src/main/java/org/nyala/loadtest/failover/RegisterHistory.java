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
 * @param required the value that a write is made upon, if it is refused upon others; {@link #ANY}
 *     for others, and for reads
 * @param places the places of the operations in the history that this one was made from
 */
record RegisterHistory(
    int initial,
    long[] starts,
    long[] ends,
    int[] values,
    boolean[] isWrite,
    int[] required,
    int[] places) {
  /** The requirement of a write that is made whatever the value is. */
  static final int ANY = Integer.MIN_VALUE;

  /** A history that was not made from another one, whose writes require nothing. */
  RegisterHistory(int initial, long[] starts, long[] ends, int[] values, boolean[] isWrite) {
    this(initial, starts, ends, values, isWrite, anything(starts.length));
  }

  /** A history that was not made from another one. */
  RegisterHistory(
      int initial, long[] starts, long[] ends, int[] values, boolean[] isWrite, int[] required) {
    this(
        initial,
        starts,
        ends,
        values,
        isWrite,
        required,
        IntStream.range(0, starts.length).toArray());
  }

  private static int[] anything(int size) {
    int[] all = new int[size];
    Arrays.fill(all, ANY);
    return all;
  }

  /** Returns whether a write can be made upon a value. */
  boolean isMadeUpon(int write, int value) {
    return required[write] == ANY || required[write] == value;
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
   * value nobody has seen can be left out: nothing tells whether it took effect. One whose value
   * was read, or required by a write that took effect, took effect before the end of that.
   */
  RegisterHistory decided() {
    Map<Integer, Long> seen = new HashMap<>();
    for (int i = 0; i < size(); i++) {
      if (ends[i] != Long.MAX_VALUE) {
        see(seen, i, ends[i]);
      }
    }
    long[] until = ends.clone();
    boolean isMore = true;
    while (isMore) {
      isMore = false;
      for (int i = 0; i < size(); i++) {
        Long first = isWrite[i] && ends[i] == Long.MAX_VALUE ? seen.get(values[i]) : null;
        if (first != null && Math.max(starts[i], first) < until[i]) {
          until[i] = Math.max(starts[i], first);
          see(seen, i, until[i]);
          isMore = true;
        }
      }
    }
    int[] left = IntStream.range(0, size()).filter(i -> until[i] != Long.MAX_VALUE).toArray();
    int count = left.length;
    long[] newStarts = new long[count];
    long[] newEnds = new long[count];
    int[] newValues = new int[count];
    boolean[] newWrites = new boolean[count];
    int[] newRequired = new int[count];
    int[] newPlaces = new int[count];
    for (int i = 0; i < count; i++) {
      newStarts[i] = starts[left[i]];
      newEnds[i] = until[left[i]];
      newValues[i] = values[left[i]];
      newWrites[i] = isWrite[left[i]];
      newRequired[i] = required[left[i]];
      newPlaces[i] = places[left[i]];
    }
    return new RegisterHistory(
        initial, newStarts, newEnds, newValues, newWrites, newRequired, newPlaces);
  }

  /** Notes the value that an operation which took effect shows to have been there. */
  private void see(Map<Integer, Long> seen, int operation, long end) {
    int value = isWrite[operation] ? required[operation] : values[operation];
    if (value != ANY) {
      seen.merge(value, end, Math::min);
    }
  }
}
