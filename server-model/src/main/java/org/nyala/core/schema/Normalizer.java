package org.nyala.core.schema;

import org.nyala.core.bytes.ByteAppender;

/**
 * Turns a value into the bytes by which a matching rule compares it: two values match when their
 * normalised bytes are equal, and for an order-preserving normaliser they are ordered as their
 * bytes are, taken as unsigned numbers (RFC 4517, RFC 4518).
 *
 * <p>Thread-safe: implementations keep no state between calls.
 */
@FunctionalInterface
public interface Normalizer {
  /**
   * The version of all normalisers together. Their results are stored in names and indexes: raise
   * it whenever one of them returns other bytes for any value.
   */
  int VERSION = 2;

  /**
   * Appends the normalised form of a whole value to {@code target}.
   *
   * @return false if the value is not valid for the rule's syntax; then {@code target} is as it was
   */
  boolean normalize(byte[] source, int offset, int length, ByteAppender target);

  /**
   * Appends the normalised form of one piece of a substrings assertion (RFC 4518, section 2.6.1:
   * spaces at the inner ends of a piece count).
   *
   * @return false if the piece is not valid for the rule's syntax; then {@code target} is as it was
   */
  default boolean normalizeSubstring(
      SubstringPiece piece, byte[] source, int offset, int length, ByteAppender target) {
    return normalize(source, offset, length, target);
  }
}
