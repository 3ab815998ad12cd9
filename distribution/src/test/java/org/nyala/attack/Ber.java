package org.nyala.attack;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** Elements of BER as byte arrays, for requests of 16 MB with millions of elements. */
final class Ber {
  static final int BOOLEAN = 0x01;
  static final int INTEGER = 0x02;
  static final int STRING = 0x04;
  static final int ENUMERATED = 0x0a;
  static final int SEQUENCE = 0x30;
  static final int SET = 0x31;

  private Ber() {}

  /** Returns one element with some parts. */
  static byte[] of(int tag, byte[]... parts) {
    byte[] content = join(parts);
    return join(head(tag, content.length), content);
  }

  private static byte[] head(int tag, int length) {
    if (length < 0x80) {
      return new byte[] {(byte) tag, (byte) length};
    }
    return new byte[] {
      (byte) tag,
      (byte) 0x84,
      (byte) (length >> 24),
      (byte) (length >> 16),
      (byte) (length >> 8),
      (byte) length
    };
  }

  static byte[] text(int tag, String value) {
    return of(tag, value.getBytes(UTF_8));
  }

  static byte[] number(int tag, int value) {
    byte[] all = {(byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value};
    int from = 0;
    while (from < 3 && all[from] == 0 && all[from + 1] >= 0) {
      from++;
    }
    return of(tag, Arrays.copyOfRange(all, from, 4));
  }

  static byte[] flag(int tag, boolean value) {
    return of(tag, new byte[] {(byte) (value ? 0xff : 0)});
  }

  /** Returns the same bytes repeated. */
  static byte[] times(int count, byte[] part) {
    byte[] all = new byte[count * part.length];
    for (int i = 0; i < count; i++) {
      System.arraycopy(part, 0, all, i * part.length, part.length);
    }
    return all;
  }

  /** Returns the parts one after the other. */
  static byte[] join(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    byte[] all = new byte[length];
    int to = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, to, part.length);
      to += part.length;
    }
    return all;
  }
}
