package org.nyala.lmdb.search;

import java.util.List;
import org.nyala.lmdb.posting.BlockSet;

/**
 * The entries that are candidates of every node. The nodes are in order of cost: the first one
 * leads from block to block, and a block ends as soon as no candidate of it is left.
 */
public final class AndNode implements CandidateNode {
  private final CandidateNode[] nodes;
  private final ScratchSets scratch;
  private final boolean exact;

  /** Joins at least one node; not exact if a part was left out. */
  public AndNode(List<CandidateNode> nodes, boolean isComplete, ScratchSets scratch) {
    this.scratch = scratch;
    this.nodes = nodes.toArray(CandidateNode[]::new);
    this.exact = isComplete && nodes.stream().allMatch(CandidateNode::isExact);
  }

  @Override
  public long nextBlock(long from) {
    return nodes[0].nextBlock(from);
  }

  @Override
  public void load(long block, BlockSet target) {
    nodes[0].load(block, target);
    for (int i = 1; i < nodes.length && !target.isEmpty(); i++) {
      nodes[i].restrict(block, target);
    }
  }

  @Override
  public void add(long block, BlockSet target) {
    BlockSet all = scratch.take();
    load(block, all);
    target.or(all);
    scratch.put(all);
  }

  @Override
  public void restrict(long block, BlockSet target) {
    for (int i = 0; i < nodes.length && !target.isEmpty(); i++) {
      nodes[i].restrict(block, target);
    }
  }

  @Override
  public long estimate(long from) {
    return nodes[0].estimate(from);
  }

  @Override
  public boolean isExact() {
    return exact;
  }
}
