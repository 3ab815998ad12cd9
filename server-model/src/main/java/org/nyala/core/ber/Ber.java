package org.nyala.core.ber;

import java.nio.ByteBuffer;
import org.nyala.core.bytes.ByteAppender;

/**
 * The lengths of BER elements, the shortest possible, and their headers: appended, or at absolute
 * positions of a buffer. A method that writes at a position returns the one after its bytes. Hot.
 */
public final class Ber {
  private Ber() {}

  /** Returns the length in bytes of tag and length of an element. */
  public static int headerLength(int contentLength) {
    if (contentLength < 0x80) {
      return 2;
    }
    return 2 + (39 - Integer.numberOfLeadingZeros(contentLength)) / 8;
  }

  /** Returns the length in bytes of a whole element. */
  public static int elementLength(int contentLength) {
    return Math.addExact(headerLength(contentLength), contentLength);
  }

  /** Returns the length in bytes of the content of an integer that is not negative. */
  public static int integerLength(int value) {
    return (40 - Integer.numberOfLeadingZeros(value)) / 8;
  }

  /** Appends tag and length. */
  public static void header(ByteAppender out, int tag, int contentLength) {
    out.append(tag);
    if (contentLength < 0x80) {
      out.append(contentLength);
      return;
    }
    int octets = headerLength(contentLength) - 2;
    out.append(0x80 | octets);
    for (int shift = (octets - 1) * 8; shift >= 0; shift -= 8) {
      out.append(contentLength >>> shift);
    }
  }

  /** Writes tag and length. */
  public static int header(ByteBuffer out, int at, int tag, int contentLength) {
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
  public static int integer(ByteBuffer out, int at, int tag, int value) {
    int length = integerLength(value);
    out.put(at, (byte) tag);
    out.put(at + 1, (byte) length);
    return bigEndian(out, at + 2, value, length);
  }

  /** Writes an element whose content is the given bytes. */
  public static int octets(ByteBuffer out, int at, int tag, byte[] content) {
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
