package org.nyala.core.schema.rule;

import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.SubstringPiece;

/**
 * Normalises the lines of a postal address one by one, without regard to case (RFC 4517, section
 * 4.2.12): {@code $} separates them.
 *
 * <p>Immutable.
 */
final class ListNormalizer implements Normalizer {
  static final ListNormalizer INSTANCE = new ListNormalizer();

  private ListNormalizer() {}

  @Override
  public boolean normalize(byte[] source, int offset, int length, ByteAppender target) {
    int before = target.length();
    int end = offset + length;
    int from = offset;
    for (int i = offset; i <= end; i++) {
      if (i == end || source[i] == '$') {
        if (from > offset) {
          target.append('$');
        }
        if (!TextNormalizer.CASE_IGNORE.normalize(source, from, i - from, target)) {
          target.truncate(before);
          return false;
        }
        from = i + 1;
      }
    }
    return true;
  }

  @Override
  public boolean normalizeSubstring(
      SubstringPiece piece, byte[] source, int offset, int length, ByteAppender target) {
    return TextNormalizer.CASE_IGNORE.normalizeSubstring(piece, source, offset, length, target);
  }
}
