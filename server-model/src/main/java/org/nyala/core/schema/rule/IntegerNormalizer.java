package org.nyala.core.schema.rule;

import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.Normalizer;

/**
 * The normal form of integers of any size: bytes that are ordered as the numbers are.
 *
 * <pre>
 *   zero       80
 *   positive   80+n  n bytes of two decimal digits each       n &lt; 0x78
 *              f8  n (4 bytes)  n bytes of digits             otherwise
 *   negative   as the positive number, every bit inverted, the first byte taken from 0x100
 * </pre>
 *
 * <p>Decimal digits rather than binary, so that the cost is linear in the length of the text.
 *
 * <p>Immutable.
 */
final class IntegerNormalizer implements Normalizer {
  static final IntegerNormalizer INSTANCE = new IntegerNormalizer();

  private static final int ZERO = 0x80;
  private static final int LONG_FORM = 0x78;

  private IntegerNormalizer() {}

  @Override
  public boolean normalize(byte[] source, int offset, int length, ByteAppender target) {
    int end = offset + length;
    boolean negative = length > 0 && source[offset] == '-';
    int at = negative ? offset + 1 : offset;
    if (at == end || !areDigits(source, at, end)) {
      return false;
    }
    while (at < end && source[at] == '0') {
      at++;
    }
    int digits = end - at;
    if (digits == 0) {
      target.append(ZERO);
    } else {
      appendMagnitude(source, at, digits, negative, target);
    }
    return true;
  }

  private static void appendMagnitude(
      byte[] source, int first, int digits, boolean negative, ByteAppender target) {
    int count = (digits + 1) / 2;
    int header = Math.min(count, LONG_FORM);
    int inversion = negative ? 0xff : 0;
    target.append(negative ? ZERO - header : ZERO + header);
    if (header == LONG_FORM) {
      target.appendInt(negative ? ~count : count);
    }
    int at = first;
    if ((digits & 1) == 1) {
      target.append(source[at++] - '0' ^ inversion);
    }
    for (int end = first + digits; at < end; at += 2) {
      target.append((source[at] - '0') * 16 + (source[at + 1] - '0') ^ inversion);
    }
  }

  static boolean areDigits(byte[] source, int from, int to) {
    for (int i = from; i < to; i++) {
      if (source[i] < '0' || source[i] > '9') {
        return false;
      }
    }
    return true;
  }
}
