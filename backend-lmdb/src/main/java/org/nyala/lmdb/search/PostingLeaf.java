package org.nyala.lmdb.search;

import java.nio.ByteBuffer;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.posting.BlockSet;
import org.nyala.lmdb.posting.PostingChunk;
import org.nyala.lmdb.posting.PostingReader;

/**
 * The entries that one index value lists.
 *
 * <p>Confined to one running operation. Hot; reused by filling {@link #prefix()} and {@link
 * #reset}.
 */
public final class PostingLeaf implements CandidateNode {
  private static final int MANY = 4096;

  private final PostingReader postings;
  private final ByteAppender prefix;
  private boolean exact;

  public PostingLeaf(PostingReader postings, int prefixCapacity) {
    this.postings = postings;
    this.prefix = new ByteAppender(prefixCapacity);
  }

  /** Returns the key prefix to fill. */
  public ByteAppender prefix() {
    return prefix;
  }

  /** Starts over after the prefix has been filled. */
  PostingLeaf reset(boolean isExact) {
    postings.forget();
    exact = isExact;
    return this;
  }

  @Override
  public long nextBlock(long from) {
    return postings.seek(this, prefix.array(), prefix.length(), from);
  }

  @Override
  public void load(long block, BlockSet target) {
    if (nextBlock(block) == block) {
      target.load(postings.chunk());
    } else {
      target.clear();
    }
  }

  @Override
  public void add(long block, BlockSet target) {
    if (nextBlock(block) == block) {
      target.or(postings.chunk());
    }
  }

  @Override
  public void restrict(long block, BlockSet target) {
    if (nextBlock(block) == block) {
      target.and(postings.chunk());
    } else {
      target.clear();
    }
  }

  @Override
  public long estimate(long from) {
    if (nextBlock(from) == NONE) {
      return 0;
    }
    ByteBuffer chunk = postings.chunk();
    boolean isBitmap = chunk.remaining() == PostingChunk.MAXIMUM_LENGTH;
    return isBitmap ? MANY : PostingChunk.cardinality(chunk);
  }

  @Override
  public boolean isExact() {
    return exact;
  }
}
