package org.nyala.lmdb.search;

import java.util.Arrays;
import org.nyala.lmdb.posting.BlockSet;
import org.nyala.lmdb.posting.PostingReader;

/**
 * The entries of a sorted list of ids, read in place: creating the node costs nothing, however many
 * they are. Reading a block costs as much as {@link #lookups} of values.
 *
 * <p>Confined to one running operation. The array is never written to.
 */
final class SortedIdsNode implements CandidateNode {
  /** The number of ids that cost as much as a look-up of a value: 2 to the power of this. */
  private static final int IDS_SHIFT = 9;

  private static final int BLOCK_IDS = 1 << 16;

  private final long[] ids;
  private final PostingReader postings;

  /**
   * Takes ids in rising order.
   *
   * @param postings is charged for the ids that are read
   */
  SortedIdsNode(long[] ids, PostingReader postings) {
    this.ids = ids;
    this.postings = postings;
  }

  /** Returns the cost of one block of this many ids at most, in look-ups of values. */
  static int lookups(int ids) {
    return 1 + (Math.min(ids, BLOCK_IDS) >> IDS_SHIFT);
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
    int first = firstOf(block);
    int i = first;
    for (; i < ids.length && ids[i] >>> 16 == block; i++) {
      target.add((int) (ids[i] & 0xffff));
    }
    postings.charge(lookups(i - first));
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
