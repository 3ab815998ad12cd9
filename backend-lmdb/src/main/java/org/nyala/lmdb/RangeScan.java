package org.nyala.lmdb;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.ByteAppender;

/**
 * Collects the entries of a range of values, which the index keeps value by value, into blocks.
 *
 * <p>Confined to one running operation. Bounded: a range of more keys than {@value #MAXIMUM_KEYS}
 * is as well served by looking at all entries.
 */
final class RangeScan {
  private static final int MAXIMUM_KEYS = 50_000;
  private static final int MAXIMUM_BLOCKS = 1024;

  /** Bytes of a bound that are compared: among values with the same 383, hashes have no order. */
  private static final int BOUND_LENGTH = IndexKeys.MAXIMUM_ESCAPED_LENGTH - 1;

  private final PostingReader postings;
  private final ByteAppender start = new ByteAppender(64);

  RangeScan(PostingReader postings) {
    this.postings = postings;
  }

  /**
   * Collects the entries from block {@code from} on whose value is not less, or not greater, than
   * an assertion.
   *
   * @param isWhole whether the index says nothing but what was asked
   * @return null when the range is too large
   */
  @Nullable IdListNode collect(
      int attribute,
      IndexKind kind,
      byte[] assertion,
      boolean isGreaterOrEqual,
      boolean isWhole,
      long from) {
    IndexKeys.appendHeader(attribute, kind, start.clear());
    boolean isCut = !IndexKeys.appendBound(assertion, 0, assertion.length, start);
    int boundEnd = Math.min(start.length(), IndexKeys.HEADER_LENGTH + BOUND_LENGTH);
    isCut |= boundEnd == IndexKeys.HEADER_LENGTH + BOUND_LENGTH;
    IdListNode node = new IdListNode(isWhole && !isCut);
    SeekCursor cursor = postings.disown();
    boolean found =
        cursor.seekOrNext(start.array(), isGreaterOrEqual ? boundEnd : IndexKeys.HEADER_LENGTH);
    for (int keys = 0; found; keys++) {
      ByteBuffer key = cursor.key();
      boolean isWithin =
          PostingReader.beginsWith(key, start.array(), IndexKeys.HEADER_LENGTH)
              && (isGreaterOrEqual || isNotAbove(key, boundEnd, isCut));
      if (!isWithin) {
        break;
      }
      if (keys == MAXIMUM_KEYS || node.blockCount() > MAXIMUM_BLOCKS) {
        return null;
      }
      long block = IndexKeys.blockOf(key) & 0xffff_ffffL;
      if (block >= from) {
        node.block(block).or(cursor.value());
      }
      found = cursor.next();
    }
    return node;
  }

  /**
   * Collects the entries from block {@code from} on with a value whose normal form begins with the
   * given bytes; others may be among them.
   *
   * @return null when they are too many
   */
  @Nullable IdListNode collectPrefix(int attribute, byte[] prefix, long from) {
    IndexKeys.appendHeader(attribute, IndexKind.EQUALITY, start.clear());
    IndexKeys.appendBound(prefix, 0, prefix.length, start);
    int end = Math.min(start.length(), IndexKeys.HEADER_LENGTH + BOUND_LENGTH);
    IdListNode node = new IdListNode(false);
    SeekCursor cursor = postings.disown();
    boolean found = cursor.seekOrNext(start.array(), end);
    for (int keys = 0;
        found && PostingReader.beginsWith(cursor.key(), start.array(), end);
        keys++) {
      if (keys == MAXIMUM_KEYS || node.blockCount() > MAXIMUM_BLOCKS) {
        return null;
      }
      long block = IndexKeys.blockOf(cursor.key()) & 0xffff_ffffL;
      if (block >= from) {
        node.block(block).or(cursor.value());
      }
      found = cursor.next();
    }
    return node;
  }

  /** Whether the key's value is not greater than the bound, as far as the bound goes if cut. */
  private boolean isNotAbove(ByteBuffer key, int boundEnd, boolean isCut) {
    byte[] bound = start.array();
    int valueEnd = key.limit() - IndexKeys.BLOCK_LENGTH - 1;
    int end = Math.min(valueEnd, boundEnd);
    for (int i = IndexKeys.HEADER_LENGTH; i < end; i++) {
      int difference = (key.get(i) & 0xff) - (bound[i] & 0xff);
      if (difference != 0) {
        return difference < 0;
      }
    }
    return isCut || valueEnd <= boundEnd;
  }
}
