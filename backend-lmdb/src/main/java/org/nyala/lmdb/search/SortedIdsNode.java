package org.nyala.lmdb.search;

import java.util.Arrays;
import org.nyala.lmdb.posting.BlockSet;

/**
 * The entries of a sorted list of ids, read in place: creating the node costs nothing, however many
 * they are.
 *
 * <p>Immutable except for the array, which is never written to.
 */
final class SortedIdsNode implements CandidateNode {
  private final long[] ids;

  /** Takes ids in rising order. */
  SortedIdsNode(long[] ids) {
    this.ids = ids;
  }

  @Override
  public long nextBlock(long from) {
    int index = firstOf(from);
    return index == ids.length ? NONE : ids[index] >>> 16;
  }

  /** Returns the index of the first id that is not before a block. */
  private int firstOf(long block) {
    int index = Arrays.binarySearch(ids, block << 16);
    return index >= 0 ? index : -index - 1;
  }

  @Override
  public void add(long block, BlockSet target) {
    for (int i = firstOf(block); i < ids.length && ids[i] >>> 16 == block; i++) {
      target.add((int) (ids[i] & 0xffff));
    }
  }

  @Override
  public void restrict(long block, BlockSet target) {
    BlockSet own = new BlockSet();
    add(block, own);
    target.and(own);
  }

  @Override
  public long estimate(long from) {
    long block = nextBlock(from);
    return block == NONE ? 0 : firstOf(block + 1) - firstOf(block);
  }

  @Override
  public boolean isExact() {
    return true;
  }
}
