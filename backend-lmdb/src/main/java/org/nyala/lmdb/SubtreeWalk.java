package org.nyala.lmdb;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.search.IdListNode;

/**
 * Enumerates small subtrees through {@code dn2id}, so that a search below a small branch of a large
 * store looks at that branch only.
 *
 * <p>Confined to one running operation. Bounded by {@value #MAXIMUM_ENTRIES} entries; a subtree
 * that is larger is remembered as such for the epoch.
 */
final class SubtreeWalk {
  private static final int MAXIMUM_ENTRIES = 1024;

  private final TxnHandle slot;
  private final SeekCursor children;
  private long[] found = new long[64];
  private long largeBase;
  private long largeEpoch = -1;

  SubtreeWalk(TxnHandle slot, SeekCursor children) {
    this.slot = slot;
    this.children = children;
  }

  /** Returns whether an entry has entries below it. */
  boolean hasChildren(long id) {
    return children.seekIdOrNext(id) && parentOfKey() == id;
  }

  /** Returns the base and all entries below it; null if they are too many. */
  @Nullable IdListNode collect(long baseId) {
    if (largeBase == baseId && largeEpoch == slot.epoch()) {
      return null;
    }
    int count = 0;
    found[count++] = baseId;
    for (int next = 0; next < count; next++) {
      count = addChildren(found[next], count);
      if (count < 0) {
        largeBase = baseId;
        largeEpoch = slot.epoch();
        return null;
      }
    }
    Arrays.sort(found, 0, count);
    IdListNode node = new IdListNode(true);
    for (int i = 0; i < count; i++) {
      node.add(found[i]);
    }
    return node;
  }

  /** Appends the children; returns the new count, or -1 if there are too many. */
  private int addChildren(long id, int countBefore) {
    int count = countBefore;
    boolean more = children.seekIdOrNext(id);
    while (more && parentOfKey() == id) {
      if (count == MAXIMUM_ENTRIES) {
        return -1;
      }
      if (count == found.length) {
        found = Arrays.copyOf(found, 2 * count);
      }
      ByteBuffer value = children.value();
      found[count++] = value.getLong(0);
      more = children.next();
    }
    return count;
  }

  private long parentOfKey() {
    return children.key().getLong(0);
  }
}
