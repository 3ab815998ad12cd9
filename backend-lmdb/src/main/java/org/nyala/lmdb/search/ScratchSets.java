package org.nyala.lmdb.search;

import org.nyala.lmdb.posting.BlockSet;

/**
 * Scratch sets that the nodes of all plans share, as many as nodes are evaluated within each other.
 *
 * <p>Confined to one running operation, like the reader that it belongs to.
 */
public final class ScratchSets {
  private final BlockSet[] free = new BlockSet[8];
  private int count;

  /** Hands out a set, of any content. */
  public BlockSet take() {
    return count == 0 ? new BlockSet() : free[--count];
  }

  /** Takes a set back. */
  public void put(BlockSet set) {
    if (count < free.length) {
      free[count++] = set;
    }
  }
}
