package org.nyala.lmdb.search;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.posting.BlockSet;

/** Entries that were collected beforehand; empty if none were added. */
public final class IdListNode implements CandidateNode {
  private final NavigableMap<Long, BlockSet> blocks;
  private final boolean exact;

  public IdListNode(boolean isExact) {
    this(new TreeMap<>(), isExact);
  }

  private IdListNode(NavigableMap<Long, BlockSet> blocks, boolean isExact) {
    this.blocks = blocks;
    this.exact = isExact;
  }

  /** Returns the same entries with another exactness. */
  IdListNode as(boolean isExact) {
    return new IdListNode(blocks, isExact);
  }

  /**
   * Releases memory that is not in use; ids must not be added any more. Returns the number of bytes
   * left.
   */
  long trim() {
    long bytes = 0;
    for (BlockSet set : blocks.values()) {
      set.trim();
      bytes += set.bytes();
    }
    return bytes;
  }

  public void add(long entryId) {
    block(IndexKeys.block(entryId) & 0xffff_ffffL).add((int) entryId & 0xffff);
  }

  /** Returns the set of a block, to add to. */
  BlockSet block(long block) {
    return blocks.computeIfAbsent(block, _ -> new BlockSet());
  }

  /** Returns the number of blocks that have entries. */
  int blockCount() {
    return blocks.size();
  }

  @Override
  public long nextBlock(long from) {
    Long block = blocks.ceilingKey(from);
    return block == null ? NONE : block;
  }

  @Override
  public void add(long block, BlockSet target) {
    BlockSet set = blocks.get(block);
    if (set != null) {
      target.or(set);
    }
  }

  @Override
  public void restrict(long block, BlockSet target) {
    BlockSet set = blocks.get(block);
    if (set == null) {
      target.clear();
    } else {
      target.and(set);
    }
  }

  @Override
  public long estimate(long from) {
    Map.Entry<Long, BlockSet> first = blocks.ceilingEntry(from);
    return first == null ? 0 : first.getValue().cardinality();
  }

  @Override
  public boolean isExact() {
    return exact;
  }
}
