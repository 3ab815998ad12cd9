package org.nyala.netty.codec;

import java.nio.ByteBuffer;

/**
 * Writes BER elements with the shortest lengths, at absolute positions. A method that writes
 * returns the position after the bytes it wrote. Hot.
 */
public final class Ber {
  private Ber() {}

  /** Returns the length in bytes of tag and length of an element. */
  static int headerLength(int contentLength) {
    if (contentLength < 0x80) {
      return 2;
    }
    return 2 + (39 - Integer.numberOfLeadingZeros(contentLength)) / 8;
  }

  /** Returns the length in bytes of a whole element. */
  static int elementLength(int contentLength) {
    return headerLength(contentLength) + contentLength;
  }

  /** Returns the length in bytes of the content of an integer that is not negative. */
  public static int integerLength(int value) {
    return (40 - Integer.numberOfLeadingZeros(value)) / 8;
  }

  /** Writes tag and length. */
  static int header(ByteBuffer out, int at, int tag, int contentLength) {
    out.put(at, (byte) tag);
    if (contentLength < 0x80) {
      out.put(at + 1, (byte) contentLength);
      return at + 2;
    }
    int octets = headerLength(contentLength) - 2;
    out.put(at + 1, (byte) (0x80 | octets));
    return bigEndian(out, at + 2, contentLength, octets);
  }

  /** Writes an element with an integer that is not negative. */
  static int integer(ByteBuffer out, int at, int tag, int value) {
    int length = integerLength(value);
    out.put(at, (byte) tag);
    out.put(at + 1, (byte) length);
    return bigEndian(out, at + 2, value, length);
  }

  /** Writes an element whose content is the given bytes. */
  static int octets(ByteBuffer out, int at, int tag, byte[] content) {
    int start = header(out, at, tag, content.length);
    out.put(start, content);
    return start + content.length;
  }

  private static int bigEndian(ByteBuffer out, int at, int value, int octets) {
    int next = at;
    for (int shift = (octets - 1) * 8; shift >= 0; shift -= 8) {
      out.put(next++, (byte) (value >>> shift));
    }
    return next;
  }
}
