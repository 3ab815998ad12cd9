package org.nyala.core.yescrypt;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The base 64 of crypt(3): six bits a character, the least significant first. Stateless. */
final class Crypt64 {
  private static final String ALPHABET =
      "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final int BITS = 6;

  private Crypt64() {}

  /** Returns the value of a character; negative if it has none. */
  static int value(char character) {
    return ALPHABET.indexOf(character);
  }

  static String encode(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    int bits = 0;
    int value = 0;
    for (int i = 0; i < bytes.length; i++) {
      value |= (bytes[i] & 0xff) << bits;
      bits += Byte.SIZE;
      // Three bytes are four characters; what is left at the end has a character of its own.
      boolean isEnd = i % 3 == 2 || i == bytes.length - 1;
      while (bits >= BITS || isEnd && bits > 0) {
        text.append(ALPHABET.charAt(value & 0x3f));
        value >>>= BITS;
        bits -= BITS;
      }
      bits = Math.max(bits, 0);
    }
    return text.toString();
  }

  /** Returns the bytes of a text; null if it is not the text of any bytes. */
  static byte @Nullable [] decode(String text) {
    byte[] bytes = new byte[text.length() * BITS / Byte.SIZE];
    int length = 0;
    int bits = 0;
    int value = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = value(text.charAt(i));
      if (digit < 0) {
        return null;
      }
      value |= digit << bits;
      bits += BITS;
      if (bits >= Byte.SIZE) {
        bytes[length++] = (byte) value;
        value >>>= Byte.SIZE;
        bits -= Byte.SIZE;
      }
    }
    boolean isWhole = value == 0 && bits < BITS;
    return isWhole ? Arrays.copyOf(bytes, length) : null;
  }
}
