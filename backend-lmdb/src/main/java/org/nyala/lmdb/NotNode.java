package org.nyala.lmdb;

/**
 * The ids that are no candidates of a node that is exact. Never exact itself: an id may belong to
 * no entry, and what is not true may be undefined.
 */
final class NotNode implements CandidateNode {
  private final CandidateNode node;
  private final long lastBlock;
  private final BlockSet scratch = new BlockSet();

  /** Complements {@code node} up to the block of the last entry. */
  NotNode(CandidateNode node, long lastBlock) {
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
    BlockSet complement = new BlockSet();
    load(block, complement);
    target.or(complement);
  }

  @Override
  public void restrict(long block, BlockSet target) {
    if (node.nextBlock(block) == block) {
      node.load(block, scratch);
      target.andNot(scratch);
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
