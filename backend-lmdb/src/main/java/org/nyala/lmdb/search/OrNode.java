package org.nyala.lmdb.search;

import java.util.Arrays;
import java.util.List;
import org.nyala.lmdb.posting.BlockSet;

/** The entries that are candidates of at least one node. */
public final class OrNode implements CandidateNode {
  private static final long UNKNOWN = -2;

  /** From this many nodes on, a block is put together as a bitmap. */
  private static final int MANY = 32;

  /** The number of nodes that represent all when candidates are estimated. */
  private static final int SAMPLE = 64;

  private final CandidateNode[] nodes;
  private final long[] blocks;
  private final ScratchSets scratch;
  private final boolean exact;

  /** Joins at least one node. */
  public OrNode(List<CandidateNode> nodes, ScratchSets scratch) {
    this.scratch = scratch;
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

  /** Returns the node's first block from {@code from} on; blocks are asked for in rising order. */
  private long advance(int index, long from) {
    long block = blocks[index];
    if (block == UNKNOWN || block != NONE && block < from) {
      block = nodes[index].nextBlock(from);
      blocks[index] = block;
    }
    return block;
  }

  @Override
  public void add(long block, BlockSet target) {
    if (nodes.length >= MANY) {
      target.toDense();
    }
    for (int i = 0; i < nodes.length; i++) {
      if (advance(i, block) == block) {
        nodes[i].add(block, target);
      }
    }
  }

  @Override
  public void restrict(long block, BlockSet target) {
    BlockSet all = scratch.take();
    load(block, all);
    target.and(all);
    scratch.put(all);
  }

  @Override
  public long estimate(long from) {
    int sample = Math.min(nodes.length, SAMPLE);
    long sum = 0;
    for (int i = 0; i < sample; i++) {
      sum += nodes[i].estimate(from);
    }
    // No candidates in a sample do not mean none at all.
    return sample == nodes.length ? sum : Math.max(1, sum * nodes.length / sample);
  }

  @Override
  public boolean isExact() {
    return exact;
  }
}
