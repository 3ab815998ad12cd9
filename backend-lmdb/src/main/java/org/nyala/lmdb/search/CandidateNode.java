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
  /** Returned if there is no further block. */
  long NONE = PostingReader.NONE;

  /**
   * Returns the first block from {@code from} on in which there may be candidates, or {@link
   * #NONE}.
   */
  long nextBlock(long from);

  /** Replaces the content of {@code target} by the candidates of a block. */
  default void load(long block, BlockSet target) {
    target.clear();
    add(block, target);
  }

  void add(long block, BlockSet target);

  /** Removes from {@code target} the ids that are no candidates in the block. */
  void restrict(long block, BlockSet target);

  /**
   * Estimates the number of candidates of the first block from {@code from} on; 0 if none follow.
   */
  long estimate(long from);

  /** Returns whether the set holds only entries for which the part is true. */
  boolean isExact();
}
