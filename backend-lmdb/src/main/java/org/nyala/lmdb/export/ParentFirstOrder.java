package org.nyala.lmdb.export;

import java.util.Arrays;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.EntryView;
import org.nyala.lmdb.env.StoreException;

/**
 * The order in which entries, coming by their ids, are written so that parents come before
 * children. An entry's rank is the number of times that, going up from it, a parent is younger than
 * its child. Entries of one rank may be written in the order of ids, after all of lesser rank.
 *
 * <p>Confined to one running operation. Remembers some thousand parents.
 */
final class ParentFirstOrder {
  private static final int SLOTS = 4096;
  private static final int DEEPEST = 4096;

  private final EntryView view = new EntryView();
  private final long[] ids = new long[SLOTS];
  private final int[] ranks = new int[SLOTS];
  private long base;

  /** Counts ranks up to this entry, which has rank 0. */
  void start(long baseId) {
    if (base != baseId) {
      base = baseId;
      Arrays.fill(ids, 0);
    }
  }

  /** Returns the rank of an entry. Does not move the cursors' positions. */
  int rank(ReadTransaction read, long id, long parentId) {
    return rank(read, id, parentId, 0);
  }

  private int rank(ReadTransaction read, long id, long parentId, int depth) {
    if (id == base || parentId == ReadTransaction.NO_ENTRY) {
      return 0;
    }
    return rankOfParent(read, parentId, depth) + (parentId > id ? 1 : 0);
  }

  private int rankOfParent(ReadTransaction read, long id, int depth) {
    int slot = (int) id & SLOTS - 1;
    if (ids[slot] == id) {
      return ranks[slot];
    }
    if (depth > DEEPEST || !read.read(id, view)) {
      throw new StoreException("entry " + id + " is missing or its own ancestor: run verify");
    }
    int rank = rank(read, id, view.parentId(), depth + 1);
    ids[slot] = id;
    ranks[slot] = rank;
    return rank;
  }
}
