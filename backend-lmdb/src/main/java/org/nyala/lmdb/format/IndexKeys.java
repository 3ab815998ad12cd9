package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import org.nyala.core.bytes.ByteAppender;

/**
 * The keys of the {@code index} database.
 *
 * <pre>
 *   u16  attribute number of the plain type; 0 for the built-in indexes
 *   u8   {@link IndexKind#code()}
 *   v    the normalised value, each 0x00 escaped as 0x00 0xFF
 *   u8   0x00, the terminator
 *   u32  block: entry id >>> 16
 * </pre>
 *
 * <p>Escaping and terminator make the keys of one attribute and kind sort as the values do, and the
 * blocks of one value stand together. A value whose escaped form is longer than {@value
 * #MAXIMUM_ESCAPED_LENGTH} bytes is cut to that length (one less if the cut would split an escape)
 * and followed by its escaped {@link ValueHash}: it is found by equality, but its order among
 * values with the same beginning is lost. Keys of the parent index have the 8-byte parent id in
 * place of value and terminator.
 *
 * <p>Everything up to the block is called the key's <em>prefix</em>.
 */
public final class IndexKeys {
  /** The most bytes of a value's escaped form in a key; longer ones are hashed. */
  public static final int MAXIMUM_ESCAPED_LENGTH = 384;

  /** The offset of the kind in a key. */
  public static final int KIND_AT = 2;

  /** The number of bytes before the value. */
  public static final int HEADER_LENGTH = 3;

  /** The number of bytes of the block number. */
  public static final int BLOCK_LENGTH = 4;

  /** The largest block number plus one: a block never begins with the second byte of an escape. */
  public static final long MAXIMUM_BLOCKS = 0xff00_0000L;

  private IndexKeys() {}

  public static int block(long entryId) {
    return (int) (entryId >>> 16);
  }

  /**
   * Appends the prefix for a normalised value.
   *
   * @return false if the value was cut
   */
  public static boolean appendPrefix(
      int attribute, IndexKind kind, byte[] value, int offset, int length, ByteAppender target) {
    appendHeader(attribute, kind, target);
    boolean whole = appendBound(value, offset, length, target);
    if (!whole) {
      appendEscaped(
          ValueHash.of(value, offset, length), 0, ValueHash.LENGTH, Integer.MAX_VALUE, target);
    }
    target.append(0);
    return whole;
  }

  /** Appends attribute and kind, the beginning of all keys of one index. */
  public static void appendHeader(int attribute, IndexKind kind, ByteAppender target) {
    target.appendShort(attribute).append(kind.code());
  }

  /**
   * Appends the escaped value as far as a key holds it, without hash and terminator: the bound of a
   * range.
   *
   * @return false if the value was cut
   */
  public static boolean appendBound(byte[] value, int offset, int length, ByteAppender target) {
    int start = target.length();
    if (appendEscaped(value, offset, length, MAXIMUM_ESCAPED_LENGTH, target)) {
      return true;
    }
    int end = start + MAXIMUM_ESCAPED_LENGTH;
    int zeros = 0;
    // The last byte is half an escape if it is the 0x00 of a pair.
    if (target.byteAt(end - 1) == 0) {
      zeros = 1;
    }
    target.truncate(end - zeros);
    return false;
  }

  /** Appends escaped bytes; stops and returns false once they exceed {@code limit}. */
  private static boolean appendEscaped(
      byte[] value, int offset, int length, int limit, ByteAppender target) {
    int start = target.length();
    if (length <= limit && !hasZero(value, offset, length)) {
      target.append(value, offset, length);
      return true;
    }
    for (int i = offset; i < offset + length; i++) {
      byte b = value[i];
      target.append(b);
      if (b == 0) {
        target.append(0xff);
      }
      if (target.length() - start > limit) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasZero(byte[] value, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (value[i] == 0) {
        return true;
      }
    }
    return false;
  }

  public static void appendPresencePrefix(int attribute, ByteAppender target) {
    appendHeader(attribute, IndexKind.PRESENCE, target);
    target.append(0);
  }

  /** Appends the prefix of the entries directly below a parent. */
  public static void appendParentPrefix(long parentId, ByteAppender target) {
    appendHeader(0, IndexKind.PARENT, target);
    target.appendLong(parentId);
  }

  /** Appends the prefix of the entries with one flag of {@code EntryRecord}. */
  public static void appendFlagPrefix(int flag, ByteAppender target) {
    appendHeader(0, IndexKind.FLAG, target);
    target.append(flag).append(0);
  }

  /** Returns the block number at the end of a key. */
  public static int blockOf(ByteBuffer key) {
    return key.getInt(key.limit() - BLOCK_LENGTH);
  }
}
