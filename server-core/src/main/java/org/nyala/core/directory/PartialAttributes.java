package org.nyala.core.directory;

import java.util.List;
import org.nyala.core.bytes.ByteAppender;

/** Encodes attributes that are computed (RFC 4511, section 4.1.7). */
public final class PartialAttributes {
  static final int OCTET_STRING = 0x04;
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;

  private PartialAttributes() {}

  /** The BER {@code PartialAttribute} of a description and its values. */
  public static byte[] encode(byte[] description, List<byte[]> values) {
    ByteAppender elements = new ByteAppender(64);
    for (byte[] value : values) {
      element(elements, OCTET_STRING, value);
    }
    return encode(description, elements);
  }

  /**
   * The BER {@code PartialAttribute} of a description and of values that are elements already: made
   * at its length, as there may be many.
   */
  static byte[] encode(byte[] description, ByteAppender elements) {
    int type = elementLength(description.length);
    int content = Math.addExact(type, elementLength(elements.length()));
    ByteAppender header = new ByteAppender(16 + type);
    header(header, SEQUENCE, content);
    element(header, OCTET_STRING, description);
    header(header, SET, elements.length());
    byte[] whole = new byte[Math.addExact(header.length(), elements.length())];
    System.arraycopy(header.array(), 0, whole, 0, header.length());
    System.arraycopy(elements.array(), 0, whole, header.length(), elements.length());
    return whole;
  }

  /** Appends an element. */
  static void element(ByteAppender target, int tag, byte[] content) {
    header(target, tag, content.length);
    target.append(content);
  }

  /** Length in bytes of an element with so much content. */
  static int elementLength(int length) {
    return Math.addExact(length, length < 0x80 ? 2 : 2 + lengthOctets(length));
  }

  private static void header(ByteAppender target, int tag, int length) {
    target.append(tag);
    if (length < 0x80) {
      target.append(length);
    } else {
      int octets = lengthOctets(length);
      target.append(0x80 | octets);
      for (int shift = (octets - 1) * 8; shift >= 0; shift -= 8) {
        target.append(length >>> shift);
      }
    }
  }

  private static int lengthOctets(int length) {
    return (39 - Integer.numberOfLeadingZeros(length)) / 8;
  }
}
