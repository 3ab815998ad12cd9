package org.nyala.core.schema.rule;

import java.nio.charset.StandardCharsets;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.bytes.Utf8;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.SubstringPiece;

/**
 * The normal form of text (RFC 4518): control characters dropped, white space squeezed to single
 * spaces and stripped at the ends, optionally in lower case. Text without any other character
 * becomes one space.
 *
 * <p>Immutable. Hot: ASCII is mapped byte by byte into the target; the first other byte sends the
 * value through {@link StringPreparation}.
 */
final class TextNormalizer implements Normalizer {
  /** Directory strings without regard to case. */
  static final TextNormalizer CASE_IGNORE = new TextNormalizer(true, false);

  /** Directory strings with regard to case. */
  static final TextNormalizer CASE_EXACT = new TextNormalizer(false, false);

  /** ASCII without regard to case. */
  static final TextNormalizer CASE_IGNORE_IA5 = new TextNormalizer(true, true);

  /** ASCII with regard to case. */
  static final TextNormalizer CASE_EXACT_IA5 = new TextNormalizer(false, true);

  private static final byte NOTHING = 0;

  private final byte[] map = new byte[128];
  private final boolean foldsCase;
  private final boolean asciiOnly;

  private TextNormalizer(boolean foldsCase, boolean asciiOnly) {
    this.foldsCase = foldsCase;
    this.asciiOnly = asciiOnly;
    for (int c = 0; c < 128; c++) {
      if (c >= 0x09 && c <= 0x0d) {
        map[c] = ' ';
      } else if (c < 0x20 || c == 0x7f) {
        map[c] = NOTHING;
      } else {
        map[c] = (byte) (foldsCase ? Character.toLowerCase(c) : c);
      }
    }
  }

  @Override
  public boolean normalize(byte[] source, int offset, int length, ByteAppender target) {
    int before = target.length();
    if (!append(source, offset, length, target, false, false)) {
      return false;
    }
    if (target.length() == before) {
      target.append(' ');
    }
    return true;
  }

  @Override
  public boolean normalizeSubstring(
      SubstringPiece piece, byte[] source, int offset, int length, ByteAppender target) {
    int before = target.length();
    boolean keepsLeading = piece != SubstringPiece.INITIAL;
    boolean keepsTrailing = piece != SubstringPiece.FINAL;
    if (!append(source, offset, length, target, keepsLeading, keepsTrailing)) {
      return false;
    }
    /* A blank piece at an end asks for the space that RFC 4518 sees there on every value. */
    if (target.length() == before && piece == SubstringPiece.ANY) {
      target.append(' ');
    }
    return true;
  }

  private boolean append(
      byte[] source,
      int offset,
      int length,
      ByteAppender target,
      boolean keepsLeading,
      boolean keepsTrailing) {
    byte[] out = target.reserve(length + 1);
    int start = target.length();
    int at = start;
    boolean pending = false;
    for (int i = offset, end = offset + length; i < end; i++) {
      byte b = source[i];
      if (b < 0) {
        return appendPrepared(source, offset, length, target, keepsLeading, keepsTrailing);
      }
      byte mapped = map[b];
      if (mapped == ' ') {
        pending = true;
      } else if (mapped != NOTHING) {
        if (pending && (keepsLeading || at > start)) {
          out[at++] = ' ';
        }
        pending = false;
        out[at++] = mapped;
      }
    }
    if (pending && keepsTrailing && at > start) {
      out[at++] = ' ';
    }
    target.advance(at - start);
    return true;
  }

  private boolean appendPrepared(
      byte[] source,
      int offset,
      int length,
      ByteAppender target,
      boolean keepsLeading,
      boolean keepsTrailing) {
    if (asciiOnly || !Utf8.isValid(source, offset, length)) {
      return false;
    }
    String text = new String(source, offset, length, StandardCharsets.UTF_8);
    String prepared = StringPreparation.prepare(text, foldsCase);
    String squeezed = StringPreparation.squeeze(prepared, keepsLeading, keepsTrailing);
    target.append(squeezed.getBytes(StandardCharsets.UTF_8));
    return true;
  }
}
