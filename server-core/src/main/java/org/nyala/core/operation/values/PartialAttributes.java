package org.nyala.core.operation.values;

import java.util.List;
import org.nyala.core.ber.Ber;
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
    int type = Ber.elementLength(description.length);
    int content = Math.addExact(type, Ber.elementLength(elements.length()));
    ByteAppender header = new ByteAppender(16 + type);
    Ber.header(header, SEQUENCE, content);
    element(header, OCTET_STRING, description);
    Ber.header(header, SET, elements.length());
    byte[] whole = new byte[Math.addExact(header.length(), elements.length())];
    System.arraycopy(header.array(), 0, whole, 0, header.length());
    System.arraycopy(elements.array(), 0, whole, header.length(), elements.length());
    return whole;
  }

  static void element(ByteAppender target, int tag, byte[] content) {
    Ber.header(target, tag, content.length);
    target.append(content);
  }
}
