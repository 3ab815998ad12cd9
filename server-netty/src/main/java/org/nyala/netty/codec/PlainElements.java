package org.nyala.netty.codec;

import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.bytes.Utf8;

/**
 * Skips primitive elements and returns whether their content is one that the Apache codec takes as
 * it is.
 *
 * <p>Confined to one thread at a time.
 */
final class PlainElements {
  private static final byte[] NOTHING = {};

  private final BerReader in;
  private byte[] bytes = NOTHING;

  /** Skips what {@code in} reads. */
  PlainElements(BerReader in) {
    this.in = in;
  }

  /** Sets the bytes that the reader reads. */
  void reset(byte[] source) {
    bytes = source;
  }

  /** Forgets the bytes. */
  void release() {
    bytes = NOTHING;
  }

  /** Skips a text; returns whether it is short enough, and UTF-8: the codec checks neither. */
  boolean text(int tag) throws InvalidBerException {
    int length = in.skip(tag);
    return length <= BerReader.LONGEST_TEXT_BYTES
        && Utf8.isValid(bytes, in.position() - length, length);
  }

  /**
   * Skips a piece of a substrings filter; returns whether it is a text, which the codec makes of
   * it, and not empty, which it takes for none.
   */
  boolean piece(int tag) throws InvalidBerException {
    int length = in.skip(tag);
    return length > 0 && Utf8.isValid(bytes, in.position() - length, length);
  }

  /**
   * Skips an attribute description or the name of a matching rule; returns whether it is a text
   * without spaces around it, which the codec would remove, neither empty nor too long.
   */
  boolean name(int tag) throws InvalidBerException {
    int length = in.skip(tag);
    int end = in.position();
    return length > 0
        && length <= BerReader.LONGEST_TEXT_BYTES
        && isNoSpace(bytes[end - length])
        && isNoSpace(bytes[end - 1])
        && Utf8.isValid(bytes, end - length, length);
  }

  private static boolean isNoSpace(byte octet) {
    return octet > ' ' || octet < 0;
  }

  /** Skips a Boolean; returns whether it is encoded as RFC 4511, section 5.1, demands. */
  boolean flag(int tag) throws InvalidBerException {
    int length = in.skip(tag);
    int octet = length == 1 ? bytes[in.position() - 1] : 1;
    return octet == 0 || octet == -1;
  }
}
