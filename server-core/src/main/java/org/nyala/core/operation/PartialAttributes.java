package org.nyala.core.operation;

import java.util.List;
import org.nyala.core.schema.ByteAppender;

/** Encodes attributes that are computed (RFC 4511, section 4.1.7). */
final class PartialAttributes {
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int OCTET_STRING = 0x04;

  private PartialAttributes() {}

  /** The BER {@code PartialAttribute} of a description and its values. */
  static byte[] encode(byte[] description, List<byte[]> values) {
    ByteAppender elements = new ByteAppender(64);
    for (byte[] value : values) {
      element(elements, OCTET_STRING, value);
    }
    ByteAppender content = new ByteAppender(128);
    element(content, OCTET_STRING, description);
    element(content, SET, elements.toByteArray());
    ByteAppender whole = new ByteAppender(128);
    element(whole, SEQUENCE, content.toByteArray());
    return whole.toByteArray();
  }

  private static void element(ByteAppender target, int tag, byte[] content) {
    target.append(tag);
    int length = content.length;
    if (length < 0x80) {
      target.append(length);
    } else {
      int octets = (39 - Integer.numberOfLeadingZeros(length)) / 8;
      target.append(0x80 | octets);
      for (int shift = (octets - 1) * 8; shift >= 0; shift -= 8) {
        target.append(length >>> shift);
      }
    }
    target.append(content);
  }
}
