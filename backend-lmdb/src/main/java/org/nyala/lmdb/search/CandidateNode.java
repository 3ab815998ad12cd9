package org.nyala.lmdb.search;

import org.nyala.lmdb.posting.BlockSet;
import org.nyala.lmdb.posting.PostingReader;

/**
 * A part of a filter as a set of candidates, evaluated block by block: every entry for which that
 * part is true is in the set.
 *
 * <p>Confined to one running operation. Hot.
 */
public interface CandidateNode {
  /** There is no further block. */
  long NONE = PostingReader.NONE;

  /** The first block from {@code from} on in which there may be candidates, or {@link #NONE}. */
  long nextBlock(long from);

  /** Makes {@code target} the candidates of a block. */
  void load(long block, BlockSet target);

  /** Adds the candidates of a block to {@code target}. */
  void add(long block, BlockSet target);

  /** Removes from {@code target} what is no candidate in the block. */
  void restrict(long block, BlockSet target);

  /** Roughly how many candidates the first block from {@code from} on has; 0 when none follow. */
  long estimate(long from);

  /** Whether the set holds nothing but entries for which the part is true. */
  boolean isExact();
}
