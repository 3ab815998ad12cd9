package org.nyala.lmdb.posting;

import org.nyala.lmdb.format.IndexKeys;

/**
 * The index keys of entries that a transaction has added and not written yet. Written together and
 * in order, a key that many entries share costs one change, and neighbours share their pages.
 *
 * <p>Confined to the writer's thread. Entries come by rising id. Writes by itself once more than
 * {@value #MOST_BYTES} bytes are in use; the arrays may be twice as large.
 */
public final class AddedPostings {
  private static final long MOST_BYTES = 8L << 20;

  /** A table that grew beyond this is not kept: it would be cleared for each commit. */
  private static final long MOST_KEPT_BYTES = 1L << 20;

  private final PostingWriter postings;
  private PostingBuilder builder = new PostingBuilder();

  public AddedPostings(PostingWriter postings) {
    this.postings = postings;
  }

  /**
   * Adds a key of an entry.
   *
   * @param hash the hash of the prefix
   * @param source holds the prefix of the key
   */
  public void add(int hash, byte[] source, int offset, int length, long entryId) {
    int block = IndexKeys.block(entryId);
    if (builder.size() == 0) {
      builder.start(block);
    } else if (builder.block() != block || builder.memoryBytes() > MOST_BYTES) {
      write();
      builder.start(block);
    }
    builder.add(hash, source, offset, length, (int) entryId & 0xffff);
  }

  public boolean isEmpty() {
    return builder.size() == 0;
  }

  /**
   * Returns whether a prefix is among them.
   *
   * @param hash its hash
   */
  public boolean contains(int hash, byte[] prefix, int length) {
    return builder.contains(hash, prefix, length);
  }

  public void write() {
    PostingBuilder.Rows rows = builder.rows();
    while (rows.next()) {
      postings.add(rows.key(), rows.value());
    }
    forget();
  }

  /** Forgets all, when the transaction is undone. */
  public void forget() {
    if (builder.memoryBytes() > MOST_KEPT_BYTES) {
      builder = new PostingBuilder();
    } else {
      builder.start(0);
    }
  }
}
