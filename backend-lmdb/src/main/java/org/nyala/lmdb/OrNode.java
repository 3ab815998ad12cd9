package org.nyala.lmdb;

import java.util.Arrays;
import java.util.List;

/** The entries that are candidates of at least one node. */
final class OrNode implements CandidateNode {
  private static final long UNKNOWN = -2;

  private final CandidateNode[] nodes;
  private final long[] blocks;
  private final BlockSet scratch = new BlockSet();
  private final boolean exact;

  /** Joins at least one node. */
  OrNode(List<CandidateNode> nodes) {
    this.nodes = nodes.toArray(CandidateNode[]::new);
    this.blocks = new long[this.nodes.length];
    Arrays.fill(blocks, UNKNOWN);
    this.exact = nodes.stream().allMatch(CandidateNode::isExact);
  }

  @Override
  public long nextBlock(long from) {
    long least = NONE;
    for (int i = 0; i < nodes.length; i++) {
      long block = advance(i, from);
      if (block != NONE && (least == NONE || block < least)) {
        least = block;
      }
    }
    return least;
  }

  /** The node's first block from {@code from} on; blocks are asked for in rising order. */
  private long advance(int index, long from) {
    long block = blocks[index];
    if (block == UNKNOWN || block != NONE && block < from) {
      block = nodes[index].nextBlock(from);
      blocks[index] = block;
    }
    return block;
  }

  @Override
  public void load(long block, BlockSet target) {
    target.clear();
    add(block, target);
  }

  @Override
  public void add(long block, BlockSet target) {
    for (int i = 0; i < nodes.length; i++) {
      if (advance(i, block) == block) {
        nodes[i].add(block, target);
      }
    }
  }

  @Override
  public void restrict(long block, BlockSet target) {
    load(block, scratch);
    target.and(scratch);
  }

  @Override
  public long estimate(long from) {
    long sum = 0;
    for (CandidateNode node : nodes) {
      sum += node.estimate(from);
    }
    return sum;
  }

  @Override
  public boolean isExact() {
    return exact;
  }
}
