package org.nyala.core.schema.rule;

import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.Normalizer;

/**
 * The normal form of object identifiers: the dotted number of a name that the schema knows, else
 * the text itself in lower case (RFC 4517, section 4.2.26).
 *
 * <p>Immutable. Hot: every tested {@code objectClass} value passes.
 */
public final class ObjectIdentifierNormalizer implements Normalizer {
  private final SchemaLink link;

  ObjectIdentifierNormalizer(SchemaLink link) {
    this.link = link;
  }

  @Override
  public boolean normalize(byte[] source, int offset, int length, ByteAppender target) {
    int from = offset;
    int to = offset + length;
    while (from < to && source[from] == ' ') {
      from++;
    }
    while (to > from && source[to - 1] == ' ') {
      to--;
    }
    if (!isIdentifier(source, from, to)) {
      return false;
    }
    byte[] oid = link.get().identifier(source, from, to - from);
    if (oid != null) {
      target.append(oid);
    } else {
      for (int i = from; i < to; i++) {
        byte b = source[i];
        target.append(b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b);
      }
    }
    return true;
  }

  /** Returns whether the bytes are a short name or a dotted number (RFC 4512, section 1.4). */
  public static boolean isIdentifier(byte[] source, int from, int to) {
    if (from == to) {
      return false;
    }
    byte first = source[from];
    return first >= '0' && first <= '9'
        ? isNumericIdentifier(source, from, to)
        : isShortName(source, from, to);
  }

  private static boolean isShortName(byte[] source, int from, int to) {
    if (!isLetter(source[from])) {
      return false;
    }
    for (int i = from + 1; i < to; i++) {
      byte b = source[i];
      boolean keyChar = isLetter(b) || b >= '0' && b <= '9' || b == '-' || b == '_' || b == ';';
      if (!keyChar) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNumericIdentifier(byte[] source, int from, int to) {
    int arc = from;
    for (int i = from; i < to; i++) {
      byte b = source[i];
      boolean isDigit = b >= '0' && b <= '9';
      if (b == '.' ? i == arc : !isDigit || i == arc + 1 && source[arc] == '0') {
        return false;
      }
      arc = b == '.' ? i + 1 : arc;
    }
    return arc < to;
  }

  private static boolean isLetter(byte b) {
    int lower = b | 0x20;
    return lower >= 'a' && lower <= 'z';
  }
}
