package org.nyala.lmdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.nyala.core.schema.ByteAppender;

/**
 * Several sorted runs as one. Rows of the same key become one row: their values are posting chunks,
 * and the row has the ids of all of them.
 *
 * <p>Confined to one running operation.
 */
final class ImportMerge implements SortedRun {
  private final SortedRun[] heap;
  private final ByteAppender key = new ByteAppender(512);
  private final ByteAppender value = new ByteAppender(64);
  private final BlockSet union = new BlockSet();
  private int size;

  /** Merges the runs, which stand before their first rows. */
  ImportMerge(List<SortedRun> runs) throws IOException {
    heap = new SortedRun[runs.size()];
    for (SortedRun run : runs) {
      if (run.next()) {
        heap[size++] = run;
      }
    }
    for (int i = size / 2 - 1; i >= 0; i--) {
      siftDown(i);
    }
  }

  @Override
  public boolean next() throws IOException {
    if (size == 0) {
      return false;
    }
    SortedRun top = heap[0];
    copy(top.key(), key);
    copy(top.value(), value);
    advanceTop();
    if (size > 0 && topHasSameKey()) {
      joinSameKeys();
    }
    return true;
  }

  private void joinSameKeys() throws IOException {
    union.clear();
    union.or(ByteBuffer.wrap(value.array(), 0, value.length()).slice());
    while (size > 0 && topHasSameKey()) {
      ByteAppender more = heap[0].value();
      union.or(ByteBuffer.wrap(more.array(), 0, more.length()).slice());
      advanceTop();
    }
    union.encode(value.clear());
  }

  private boolean topHasSameKey() {
    ByteAppender other = heap[0].key();
    return key.contentEquals(other.array(), 0, other.length());
  }

  private void advanceTop() throws IOException {
    if (!heap[0].next()) {
      heap[0] = heap[--size];
    }
    siftDown(0);
  }

  private void siftDown(int from) {
    int at = from;
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && isLess(heap[child + 1], heap[child])) {
        child++;
      }
      if (!isLess(heap[child], heap[at])) {
        return;
      }
      SortedRun moved = heap[at];
      heap[at] = heap[child];
      heap[child] = moved;
      at = child;
    }
  }

  private static boolean isLess(SortedRun a, SortedRun b) {
    ByteAppender x = a.key();
    ByteAppender y = b.key();
    return Arrays.compareUnsigned(x.array(), 0, x.length(), y.array(), 0, y.length()) < 0;
  }

  private static void copy(ByteAppender source, ByteAppender target) {
    target.clear().append(source.array(), 0, source.length());
  }

  @Override
  public ByteAppender key() {
    return key;
  }

  @Override
  public ByteAppender value() {
    return value;
  }
}
