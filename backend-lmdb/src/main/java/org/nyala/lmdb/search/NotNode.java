package org.nyala.lmdb.search;

import org.nyala.lmdb.posting.BlockSet;

/**
 * The ids that are no candidates of an exact node. Never exact itself: an id may belong to no
 * entry, and a test that is not true may be undefined.
 */
final class NotNode implements CandidateNode {
  private final CandidateNode node;
  private final long lastBlock;
  private final ScratchSets scratch;

  /** Complements {@code node} up to the block of the last entry. */
  NotNode(CandidateNode node, long lastBlock, ScratchSets scratch) {
    this.scratch = scratch;
    this.node = node;
    this.lastBlock = lastBlock;
  }

  @Override
  public long nextBlock(long from) {
    return from <= lastBlock ? from : NONE;
  }

  @Override
  public void load(long block, BlockSet target) {
    target.fill();
    restrict(block, target);
  }

  @Override
  public void add(long block, BlockSet target) {
    BlockSet complement = scratch.take();
    load(block, complement);
    target.or(complement);
    scratch.put(complement);
  }

  @Override
  public void restrict(long block, BlockSet target) {
    if (node.nextBlock(block) == block) {
      BlockSet excluded = scratch.take();
      node.load(block, excluded);
      target.andNot(excluded);
      scratch.put(excluded);
    }
  }

  @Override
  public long estimate(long from) {
    return from <= lastBlock ? (1 << 16) - Math.min(node.estimate(from), 1 << 15) : 0;
  }

  @Override
  public boolean isExact() {
    return false;
  }
}
