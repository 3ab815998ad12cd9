package org.nyala.core.schema.rule;

import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.Normalizer;

/** The normalisers of values that identify: UUIDs, change sequence numbers, booleans, bits. */
final class IdentifierNormalizers {
  /** Bytes as they are. */
  static final Normalizer OCTETS =
      (source, offset, length, target) -> {
        target.append(source, offset, length);
        return true;
      };

  /** Sixteen bytes of a UUID (RFC 4530, section 2.1). */
  static final Normalizer UUID = IdentifierNormalizers::normalizeUuid;

  /** A change sequence number: time, count, server and modification, in lower case. */
  static final Normalizer CSN = IdentifierNormalizers::normalizeCsn;

  /** The server number of a change sequence number. */
  static final Normalizer CSN_SERVER = IdentifierNormalizers::normalizeCsnServer;

  /** One byte, 0 or 1. */
  static final Normalizer BOOLEAN = IdentifierNormalizers::normalizeBoolean;

  /** {@code '0101'B}, as it is. */
  static final Normalizer BITS =
      (source, offset, length, target) -> {
        if (!isBitString(source, offset, length)) {
          return false;
        }
        target.append(source, offset, length);
        return true;
      };

  private static final int UUID_LENGTH = 36;
  private static final int SERVER_DIGITS = 3;

  private IdentifierNormalizers() {}

  private static boolean normalizeUuid(byte[] source, int offset, int length, ByteAppender target) {
    if (length != UUID_LENGTH) {
      return false;
    }
    byte[] out = target.reserve(16);
    int at = target.length();
    for (int i = 0; i < UUID_LENGTH; ) {
      if (i == 8 || i == 13 || i == 18 || i == 23) {
        if (source[offset + i++] != '-') {
          return false;
        }
      } else {
        int octet = hexDigit(source[offset + i]) << 4 | hexDigit(source[offset + i + 1]);
        if (octet < 0) {
          return false;
        }
        out[at++] = (byte) octet;
        i += 2;
      }
    }
    target.advance(16);
    return true;
  }

  /** The value of a hexadecimal digit, or a negative number. */
  static int hexDigit(byte b) {
    if (b >= '0' && b <= '9') {
      return b - '0';
    }
    int lower = b | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }

  /* yyyymmddhhmmss.uuuuuuZ#cccccc#sss#mmmmmm, each c, s and m a hexadecimal digit. */
  private static boolean normalizeCsn(byte[] source, int offset, int length, ByteAppender target) {
    int first = indexOf(source, offset, offset + length, '#');
    int second = first < 0 ? -1 : indexOf(source, first + 1, offset + length, '#');
    int third = second < 0 ? -1 : indexOf(source, second + 1, offset + length, '#');
    boolean valid =
        third >= 0
            && isTime(source, offset, first)
            && areHex(source, first + 1, second, 6)
            && areHex(source, second + 1, third, SERVER_DIGITS)
            && areHex(source, third + 1, offset + length, 6);
    if (valid) {
      appendLowerCase(source, offset, first - offset, target, false);
      appendLowerCase(source, first, offset + length - first, target, true);
    }
    return valid;
  }

  private static boolean isTime(byte[] source, int from, int to) {
    return to - from == 22
        && source[from + 14] == '.'
        && source[to - 1] == 'Z'
        && IntegerNormalizer.areDigits(source, from, from + 14)
        && IntegerNormalizer.areDigits(source, from + 15, to - 1);
  }

  private static void appendLowerCase(
      byte[] source, int offset, int length, ByteAppender target, boolean folds) {
    for (int i = offset; i < offset + length; i++) {
      byte b = source[i];
      target.append(folds && b >= 'A' && b <= 'F' ? b + ('a' - 'A') : b);
    }
  }

  private static int indexOf(byte[] source, int from, int to, char wanted) {
    for (int i = from; i < to; i++) {
      if (source[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private static boolean areHex(byte[] source, int from, int to, int count) {
    if (to - from != count) {
      return false;
    }
    for (int i = from; i < to; i++) {
      if (hexDigit(source[i]) < 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean normalizeCsnServer(
      byte[] source, int offset, int length, ByteAppender target) {
    if (areHex(source, offset, offset + length, SERVER_DIGITS)) {
      appendLowerCase(source, offset, length, target, true);
      return true;
    }
    int before = target.length();
    if (!normalizeCsn(source, offset, length, target)) {
      return false;
    }
    target.truncate(before);
    appendLowerCase(source, offset + 30, SERVER_DIGITS, target, true);
    return true;
  }

  private static boolean normalizeBoolean(
      byte[] source, int offset, int length, ByteAppender target) {
    if (equalsUpper(source, offset, length, "TRUE")) {
      target.append(1);
      return true;
    }
    if (equalsUpper(source, offset, length, "FALSE")) {
      target.append(0);
      return true;
    }
    return false;
  }

  private static boolean equalsUpper(byte[] source, int offset, int length, String upper) {
    if (length != upper.length()) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if ((source[offset + i] & 0xdf) != upper.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  static boolean isBitString(byte[] source, int offset, int length) {
    int end = offset + length;
    if (length < 3 || source[offset] != '\'' || source[end - 2] != '\'' || source[end - 1] != 'B') {
      return false;
    }
    for (int i = offset + 1; i < end - 2; i++) {
      if (source[i] != '0' && source[i] != '1') {
        return false;
      }
    }
    return true;
  }
}
