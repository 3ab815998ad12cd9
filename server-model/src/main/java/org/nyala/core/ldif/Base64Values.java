package org.nyala.core.ldif;

import java.util.Arrays;
import org.nyala.core.bytes.ByteAppender;

/** Decodes base64 values in place (RFC 4648, section 4). Hot. */
final class Base64Values {
  private static final byte[] DIGITS = digits();

  private Base64Values() {}

  private static byte[] digits() {
    byte[] digits = new byte[128];
    Arrays.fill(digits, (byte) -1);
    String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < alphabet.length(); i++) {
      digits[alphabet.charAt(i)] = (byte) i;
    }
    return digits;
  }

  /**
   * Appends what {@code source[from..to)} stands for; spaces around it do not count.
   *
   * @return false if it is not base64; then {@code target} is as it was
   */
  static boolean decode(byte[] source, int from, int to, ByteAppender target) {
    int start = from;
    int end = to;
    while (start < end && source[start] == ' ') {
      start++;
    }
    while (end > start && source[end - 1] == ' ') {
      end--;
    }
    if ((end - start) % 4 != 0) {
      return false;
    }
    int padding = 0;
    while (padding < 2 && end - padding > start && source[end - 1 - padding] == '=') {
      padding++;
    }
    int mark = target.length();
    if (!decodeGroups(source, start, end - padding, target)) {
      target.truncate(mark);
      return false;
    }
    return true;
  }

  private static boolean decodeGroups(byte[] source, int start, int end, ByteAppender target) {
    int bits = 0;
    int digits = 0;
    for (int i = start; i < end; i++) {
      int b = source[i];
      int digit = b < 0 ? -1 : DIGITS[b];
      if (digit < 0) {
        return false;
      }
      bits = bits << 6 | digit;
      if ((++digits & 3) == 0) {
        target.append(bits >>> 16).append(bits >>> 8).append(bits);
      }
    }
    return switch (digits & 3) {
      case 2 -> {
        target.append(bits >>> 4);
        yield (bits & 0xf) == 0;
      }
      case 3 -> {
        target.append(bits >>> 10).append(bits >>> 2);
        yield (bits & 3) == 0;
      }
      default -> true;
    };
  }
}
