package org.nyala.lmdb.search;

import org.nyala.lmdb.posting.BlockSet;

/**
 * Every entry: what is left where no index helps, or where a filter is always true. Planning never
 * leaves it below another node.
 *
 * @param isExact whether every entry matches for certain
 */
public record AllNode(boolean isExact) implements CandidateNode {
  /** The filter is true for every entry. */
  public static final AllNode TRUE = new AllNode(true);

  /** No index helps. */
  public static final AllNode UNINDEXED = new AllNode(false);

  @Override
  public long nextBlock(long from) {
    return from;
  }

  @Override
  public void load(long block, BlockSet target) {
    target.fill();
  }

  @Override
  public void add(long block, BlockSet target) {
    target.fill();
  }

  @Override
  public void restrict(long block, BlockSet target) {
    // Nothing is left out.
  }

  @Override
  public long estimate(long from) {
    return 1 << 16;
  }
}
