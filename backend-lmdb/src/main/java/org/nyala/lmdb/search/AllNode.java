package org.nyala.lmdb.search;

import org.nyala.lmdb.posting.BlockSet;

/**
 * Every entry: the candidates if no index helps, or if a filter is always true. Planning never
 * leaves it below another node.
 *
 * @param isExact true if every entry matches for certain
 */
public record AllNode(boolean isExact) implements CandidateNode {
  /** The node of a filter that is true for every entry. */
  public static final AllNode TRUE = new AllNode(true);

  /** The node of a filter for which no index helps. */
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
    // There is nothing to remove.
  }

  @Override
  public long estimate(long from) {
    return 1 << 16;
  }
}
