package org.nyala.core.schema.rule;

import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.schema.Normalizer;

/**
 * Normalises values in parentheses by their first component (RFC 4517, section 2): {@code ( 2.5.4.3
 * NAME 'cn' )} by {@code 2.5.4.3}.
 *
 * <p>Immutable.
 */
final class FirstComponentNormalizer implements Normalizer {
  private final Normalizer component;

  FirstComponentNormalizer(Normalizer component) {
    this.component = component;
  }

  @Override
  public boolean normalize(byte[] source, int offset, int length, ByteAppender target) {
    int end = offset + length;
    int at = skipSpaces(source, offset, end);
    if (at == end || source[at] != '(') {
      return false;
    }
    at = skipSpaces(source, at + 1, end);
    boolean quoted = at < end && source[at] == '\'';
    int from = quoted ? at + 1 : at;
    int to = from;
    while (to < end && source[to] != (quoted ? '\'' : ' ') && (quoted || source[to] != ')')) {
      to++;
    }
    return to > from && to < end && component.normalize(source, from, to - from, target);
  }

  private static int skipSpaces(byte[] source, int from, int end) {
    int at = from;
    while (at < end && source[at] == ' ') {
      at++;
    }
    return at;
  }
}
