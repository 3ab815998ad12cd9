package org.nyala.core.operation.list;

import java.util.Arrays;

/** A growable list of entry ids. Confined to one running operation. */
final class IdList {
  private long[] ids = {};
  private int size;

  void add(long id) {
    if (size == ids.length) {
      ids = Arrays.copyOf(ids, Math.max(16, 2 * size));
    }
    ids[size++] = id;
  }

  int size() {
    return size;
  }

  long get(int index) {
    return ids[index];
  }

  /** Returns the memory of the list, in bytes. */
  long memory() {
    return 8L * ids.length;
  }

  long[] toArray() {
    return Arrays.copyOf(ids, size);
  }
}
