package org.nyala.core.schema;

/**
 * The required place of a piece of a substrings assertion in the value (RFC 4511, section
 * 4.5.1.7.2).
 */
public enum SubstringPiece {
  /** At the start of the value. */
  INITIAL,
  /** After the piece before it. */
  ANY,
  /** At the end of the value. */
  FINAL
}
