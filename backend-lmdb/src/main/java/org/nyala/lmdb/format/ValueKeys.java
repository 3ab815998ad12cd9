package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;

/**
 * The keys of the {@code values} database, which holds the values of attributes that have very
 * many, out of line from the entries' records.
 *
 * <pre>
 *   u64  entry id
 *   u16  attribute number
 *   u8   what follows: 0 nothing, the head of the attribute
 *                      1 the value's normal form by the equality rule
 *                      2 the value itself, which the rule cannot normalise
 *   ...  at most 480 bytes; longer names are cut to that length and followed by their ValueHash
 * </pre>
 *
 * <p>Under a value's key stands the value as presented; under the head's two numbers of eight
 * bytes, how many values there are and how many bytes they take as BER {@code OCTET STRING}s. A
 * name that was cut is longer than any that was not, so that none can pass for another.
 */
public final class ValueKeys {
  /** Length in bytes of entry id and attribute number. */
  public static final int PREFIX_LENGTH = 10;

  /** Length in bytes of the head's value. */
  public static final int HEAD_LENGTH = 16;

  /** Marks the head. */
  public static final int HEAD = 0;

  /** Marks a value that has a normal form. */
  static final int NORMALIZED = 1;

  /** Marks a value that has no normal form. */
  static final int AS_PRESENTED = 2;

  /** The most bytes of a name in a key; longer ones are hashed. */
  static final int MAXIMUM_NAME_LENGTH = 480;

  private ValueKeys() {}

  /**
   * Returns whether values of a type may be stored out of line: its equality rule must distinguish
   * them by their bytes. Operational attributes and object classes, which the server itself reads,
   * and attributes hidden from all clients never are.
   */
  public static boolean mayBeApart(AttributeType type, boolean isHidden) {
    MatchingRule rule = type.equality();
    return rule != null
        && rule.comparesBytes()
        && !type.isOperational()
        && !isHidden
        && !type.name().equals("objectClass");
  }

  /** Appends entry id and attribute number. */
  public static ByteAppender appendPrefix(long entryId, int attribute, ByteAppender target) {
    return target.appendLong(entryId).appendShort(attribute);
  }

  /**
   * Appends the part after the attribute number in the key of a value.
   *
   * @param rule the attribute's equality rule
   * @param scratch a buffer that is overwritten
   */
  public static void appendName(
      @Nullable MatchingRule rule,
      byte[] source,
      int offset,
      int length,
      ByteAppender scratch,
      ByteAppender target) {
    if (rule != null && rule.valueNormalizer().normalize(source, offset, length, scratch.clear())) {
      appendNormalized(scratch.array(), scratch.length(), target);
    } else {
      target.append(AS_PRESENTED);
      appendCut(source, offset, length, target);
    }
  }

  /** Appends the part after the attribute number in the key of a value with this normal form. */
  static void appendNormalized(byte[] normalized, int length, ByteAppender target) {
    target.append(NORMALIZED);
    appendCut(normalized, 0, length, target);
  }

  private static void appendCut(byte[] name, int offset, int length, ByteAppender target) {
    if (length <= MAXIMUM_NAME_LENGTH) {
      target.append(name, offset, length);
      return;
    }
    target.append(name, offset, MAXIMUM_NAME_LENGTH);
    target.append(ValueHash.of(name, offset, length), 0, ValueHash.LENGTH);
  }

  /** Returns whether a key belongs to the given attribute of the given entry. */
  public static boolean isOf(ByteBuffer key, long entryId, int attribute) {
    return key.remaining() > PREFIX_LENGTH
        && key.getLong(0) == entryId
        && (key.getShort(8) & 0xffff) == attribute;
  }

  /** Returns the length in bytes of a value as a BER {@code OCTET STRING}. */
  public static int octets(int length) {
    return length < 0x80
        ? length + 2
        : length + 2 + (39 - Integer.numberOfLeadingZeros(length)) / 8;
  }
}
