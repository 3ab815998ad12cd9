package org.nyala.lmdb.format;

import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.load.ExtendedSchema;

/**
 * The empty store that an import fills with rows in the format on disk: LMDB's, or the one that a
 * load test compares it with. Confined to one running operation, which closes it.
 *
 * <p>Every method may throw {@code StoreException}.
 */
public interface ImportStore extends AutoCloseable {
  /**
   * A database that gets its rows by rising key, compared as unsigned bytes. Confined to one
   * running operation.
   */
  interface Rows extends AutoCloseable {
    /** Appends a row whose key is a number. */
    void append(long number, byte[] source, int offset, int length);

    void append(ByteAppender key, ByteAppender value);

    /** Appends a row whose key is a number followed by bytes. */
    void append(
        long number, byte[] source, int keyOffset, int keyLength, int valueOffset, int valueLength);

    /** Keeps the appended rows. */
    void commit();

    /** Drops the rows that were not committed, if the store can do that. Idempotent. */
    @Override
    void close();
  }

  /** Returns the database of records, by entry id; the same one at each call. */
  Rows records();

  /**
   * Returns the database of values kept apart from records, committed and closed with the records.
   */
  Rows values();

  /** Opens the database of entry ids by {@link Dn2IdKeys}; the records are committed before. */
  Rows names();

  /** Opens the database of postings by {@link IndexKeys}; the names are committed before. */
  Rows postings();

  /**
   * Checks the number of rows, writes the meta data and waits for the disk.
   *
   * @param meta the meta data; its next entry id is the number of entries plus one
   * @param schema has the definitions that the store keeps
   */
  void complete(StoreMeta meta, ExtendedSchema schema);

  @Override
  void close();
}
