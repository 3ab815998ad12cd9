package org.nyala.core.bytes;

/**
 * Validity of UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, no end past U+10FFFF.
 */
public final class Utf8 {
  private Utf8() {}

  /** Returns whether the bytes are valid UTF-8; an empty range is. */
  public static boolean isValid(byte[] source, int offset, int length) {
    int end = offset + length;
    int at = offset;
    while (at < end) {
      int lead = source[at];
      int size = lead >= 0 ? 1 : sequenceLength(source, at, end);
      if (size == 0) {
        return false;
      }
      at += size;
    }
    return true;
  }

  /** The length of the valid multi-byte sequence at {@code at}, or 0. */
  private static int sequenceLength(byte[] source, int at, int end) {
    int lead = source[at] & 0xff;
    int size = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (size == 0 || end - at < size) {
      return 0;
    }
    for (int i = 1; i < size; i++) {
      if ((source[at + i] & 0xc0) != 0x80) {
        return 0;
      }
    }
    int second = source[at + 1] & 0xff;
    boolean excluded =
        switch (lead) {
          case 0xe0 -> second < 0xa0;
          case 0xed -> second > 0x9f;
          case 0xf0 -> second < 0x90;
          case 0xf4 -> second > 0x8f;
          default -> false;
        };
    return excluded ? 0 : size;
  }
}
