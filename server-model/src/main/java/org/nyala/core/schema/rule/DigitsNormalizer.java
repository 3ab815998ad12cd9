package org.nyala.core.schema.rule;

import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.Normalizer;

/**
 * The normal form of strings in which some characters do not count: spaces in numeric strings (RFC
 * 4518, section 2.6.2), spaces and hyphens in telephone numbers (section 2.6.3). An empty result
 * becomes one space.
 *
 * <p>Immutable.
 */
final class DigitsNormalizer implements Normalizer {
  /** Numeric strings: digits only. */
  static final DigitsNormalizer NUMERIC = new DigitsNormalizer(true);

  /** Telephone numbers: printable characters without regard to case. */
  static final DigitsNormalizer TELEPHONE = new DigitsNormalizer(false);

  private final boolean digitsOnly;

  private DigitsNormalizer(boolean digitsOnly) {
    this.digitsOnly = digitsOnly;
  }

  @Override
  public boolean normalize(byte[] source, int offset, int length, ByteAppender target) {
    byte[] out = target.reserve(length + 1);
    int start = target.length();
    int at = start;
    for (int i = offset, end = offset + length; i < end; i++) {
      byte b = source[i];
      if (b == ' ' || b == '-' && !digitsOnly) {
        continue;
      }
      if (b < ' ' || b == 0x7f || digitsOnly && (b < '0' || b > '9')) {
        return false;
      }
      out[at++] = (byte) (b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b);
    }
    if (at == start) {
      out[at++] = ' ';
    }
    target.advance(at - start);
    return true;
  }
}
