package org.nyala.core.schema.rule;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.bytes.ByteSearch;
import org.nyala.core.schema.Normalizer;

/** The comparisons of rules whose values match without being the same bytes. */
public final class Comparisons {
  /** An integer as eight bytes, for the bitwise rules; larger ones are not valid. */
  static final Normalizer LONG = Comparisons::normalizeLong;

  private static final int MAXIMUM_LONG_TEXT = 20;

  private Comparisons() {}

  private static boolean normalizeLong(byte[] source, int offset, int length, ByteAppender target) {
    if (length == 0 || length > MAXIMUM_LONG_TEXT) {
      return false;
    }
    int digitsAt = source[offset] == '-' ? offset + 1 : offset;
    if (digitsAt == offset + length
        || !IntegerNormalizer.areDigits(source, digitsAt, offset + length)) {
      return false;
    }
    BigInteger number =
        new BigInteger(new String(source, offset, length, StandardCharsets.US_ASCII));
    if (number.bitLength() > 63) {
      return false;
    }
    target.appendLong(number.longValue());
    return true;
  }

  /** Returns whether every bit of the assertion is set in the value. */
  static boolean hasAllBits(byte[] value, int valueLength, byte[] assertion) {
    for (int i = 0; i < valueLength; i++) {
      if ((value[i] & assertion[i]) != assertion[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether some bit of the assertion is set in the value. */
  static boolean hasAnyBit(byte[] value, int valueLength, byte[] assertion) {
    for (int i = 0; i < valueLength; i++) {
      if ((value[i] & assertion[i]) != 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether the value contains the assertion as a whole word, between characters that are
   * not of words.
   */
  public static boolean hasWord(byte[] value, int valueLength, byte[] assertion) {
    if (assertion.length == 0) {
      return true;
    }
    int found =
        ByteSearch.indexOf(
            value, 0, valueLength, assertion, at -> isWord(value, valueLength, at, assertion));
    return found >= 0;
  }

  private static boolean isWord(byte[] value, int valueLength, int at, byte[] assertion) {
    int end = at + assertion.length;
    return (at == 0 || !isOfWord(value[at - 1])) && (end == valueLength || !isOfWord(value[end]));
  }

  private static boolean isOfWord(byte b) {
    return b < 0 || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z';
  }

  /** Returns whether the value's DN is the assertion's or stands below it. */
  static boolean isInSubtree(byte[] value, int valueLength, byte[] assertion) {
    return isAtOrBelow(value, valueLength, assertion, assertion.length);
  }

  /** Returns whether the value's DN stands below the assertion's. */
  static boolean isSubordinate(byte[] value, int valueLength, byte[] assertion) {
    return valueLength != assertion.length && isInSubtree(value, valueLength, assertion);
  }

  /** Returns whether the value's DN stands directly below the assertion's. */
  static boolean isOneLevelBelow(byte[] value, int valueLength, byte[] assertion) {
    if (!isSubordinate(value, valueLength, assertion)) {
      return false;
    }
    int rdnEnd = assertion.length == 0 ? valueLength : valueLength - assertion.length - 1;
    for (int i = 0; i < rdnEnd; i++) {
      if (value[i] == ',') {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the assertion's DN stands below the value's. */
  static boolean isSuperior(byte[] value, int valueLength, byte[] assertion) {
    return valueLength != assertion.length
        && isAtOrBelow(assertion, assertion.length, value, valueLength);
  }

  /* Commas inside of normalised RDNs are escaped by number, so that each one is a boundary. */
  private static boolean isAtOrBelow(byte[] name, int nameLength, byte[] base, int baseLength) {
    if (baseLength == 0) {
      return true;
    }
    int from = nameLength - baseLength;
    return from >= 0
        && (from == 0 || name[from - 1] == ',')
        && Arrays.equals(name, from, nameLength, base, 0, baseLength);
  }
}
