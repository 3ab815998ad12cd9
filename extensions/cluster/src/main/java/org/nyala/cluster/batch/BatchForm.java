package org.nyala.cluster.batch;

/**
 * The form of an entry:
 *
 * <pre>
 *   1 byte    the version of the form
 *   16        the identity of the batch
 *   32        the digest of all entries before
 *   8         the id that the next entry gets
 *   vector    the largest change sequence number of each server
 *   calls     each a byte for its kind, and its parts
 *   4         CRC-32C of everything before
 * </pre>
 *
 * <p>Numbers are big-endian. A text or value is its length in 4 bytes and itself; a list is its
 * length in 4 bytes and its items; a change sequence number takes 16 bytes. Names are as presented,
 * in UTF-8; notes have the text that a store keeps.
 */
public final class BatchForm {
  /** The version that is written, and the only one that is read. */
  public static final int VERSION = 1;

  /** The number of bytes before the vector. */
  static final int HEAD_BYTES = 1 + BatchId.BYTES + Before.CHAIN_BYTES + Long.BYTES;

  /** The number of bytes of the sum at the end. */
  static final int SUM_BYTES = Integer.BYTES;

  static final int ADD = 1;
  static final int MODIFY = 2;
  static final int RENAME = 3;
  static final int DELETE = 4;
  static final int AUTHOR = 5;
  static final int NUMBER = 6;
  static final int RAISE = 7;
  static final int REPLACE = 8;
  static final int PROMOTION = 9;
  static final int HISTORY = 10;
  static final int SOURCE = 11;
  static final int EPOCHS = 12;
  static final int SCHEMA = 13;

  /** The form of a change to an attribute. */
  static final int REPLACED = 0;

  static final int UPDATED = 1;

  private BatchForm() {}
}
