package org.nyala.lmdb.ldif;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.posting.BlockSet;
import org.nyala.lmdb.posting.SortedRun;

/**
 * Several sorted runs as one. Rows of the same key become one row: their values are posting chunks,
 * and the row has the ids of all of them.
 *
 * <p>Confined to one running operation.
 */
public final class ImportMerge implements SortedRun {
  private final SortedRun[] heap;
  private final ByteAppender key = new ByteAppender(512);
  private final ByteAppender value = new ByteAppender(64);
  private final BlockSet union = new BlockSet();
  private @Nullable SortedRun shown;
  private int size;

  /** Merges the runs, which are positioned before their first rows. */
  public ImportMerge(List<SortedRun> runs) throws IOException {
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
    if (shown != null && size > 0) {
      // Its row was shown without a copy; it may be moved only now.
      advanceTop();
    }
    shown = null;
    if (size == 0) {
      return false;
    }
    if (isKeyOfSecond()) {
      join();
    } else {
      shown = heap[0];
    }
    return true;
  }

  private boolean isKeyOfSecond() {
    ByteAppender first = heap[0].key();
    return size > 1 && isSame(first, heap[1].key()) || size > 2 && isSame(first, heap[2].key());
  }

  private void join() throws IOException {
    ByteAppender first = heap[0].key();
    key.clear().append(first.array(), 0, first.length());
    union.clear();
    while (size > 0 && isSame(key, heap[0].key())) {
      ByteAppender chunk = heap[0].value();
      union.or(ByteBuffer.wrap(chunk.array(), 0, chunk.length()).slice());
      advanceTop();
    }
    union.encode(value.clear());
  }

  private static boolean isSame(ByteAppender one, ByteAppender other) {
    return one.contentEquals(other.array(), 0, other.length());
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

  @Override
  public ByteAppender key() {
    return shown == null ? key : shown.key();
  }

  @Override
  public ByteAppender value() {
    return shown == null ? value : shown.value();
  }
}
