package org.nyala.core.access.enforce;

import java.util.Arrays;

/**
 * A table of numbers by numbers, in 32 to 64 bytes for each.
 *
 * <p>Confined to one thread while it grows; read by any afterwards.
 */
final class LongTable {
  private static final int FIRST = 8;

  private long[] keys = new long[FIRST];
  private long[] values = new long[FIRST];
  private boolean hasZero;
  private long ofZero;
  private int size;

  /** Puts a value, unless the key has one. */
  void putIfAbsent(long key, long value) {
    if (key == 0) {
      ofZero = hasZero ? ofZero : value;
      hasZero = true;
      return;
    }
    int at = place(key);
    if (keys[at] != 0) {
      return;
    }
    keys[at] = key;
    values[at] = value;
    size++;
    if (size > keys.length / 2) {
      grow();
    }
  }

  private void grow() {
    long[] formerKeys = keys;
    long[] formerValues = values;
    keys = new long[2 * formerKeys.length];
    values = new long[keys.length];
    for (int i = 0; i < formerKeys.length; i++) {
      if (formerKeys[i] != 0) {
        int at = place(formerKeys[i]);
        keys[at] = formerKeys[i];
        values[at] = formerValues[i];
      }
    }
  }

  /** Returns the place of a key, or the free one that it would take; keys are hashes. */
  private int place(long key) {
    int at = (int) key & keys.length - 1;
    while (keys[at] != 0 && keys[at] != key) {
      at = at + 1 & keys.length - 1;
    }
    return at;
  }

  boolean contains(long key) {
    return key == 0 ? hasZero : keys[place(key)] != 0;
  }

  long get(long key) {
    return key == 0 ? ofZero : values[place(key)];
  }

  /** Returns whether one of the keys is among some that are sorted. */
  boolean isAnyIn(long[] sorted) {
    if (hasZero && Arrays.binarySearch(sorted, 0) >= 0) {
      return true;
    }
    if (size > sorted.length) {
      for (long each : sorted) {
        if (contains(each)) {
          return true;
        }
      }
      return false;
    }
    for (long key : keys) {
      if (key != 0 && Arrays.binarySearch(sorted, key) >= 0) {
        return true;
      }
    }
    return false;
  }

  long bytes() {
    return 16L * keys.length + 64;
  }
}
