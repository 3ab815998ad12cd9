package org.nyala.lmdb;

import org.nyala.core.schema.ByteAppender;

/**
 * The grams by which substrings are found: every three bytes in a row of the normalised value put
 * between a begin marker (0x01) and an end marker (0x02).
 *
 * <p>So {@code (a=jo*)} needs the gram {@code ^jo}, {@code (a=*hn)} the gram {@code hn$}, {@code
 * (a=*ohn*)} the gram {@code ohn}, and longer pieces all of theirs at once. A piece without a gram
 * (one byte at an end, two in the middle) gets no help. A value of n bytes has n grams, which is
 * about as small as such an index gets; what the grams cannot tell (their order, a marker byte in
 * the value) is left to testing the entry.
 */
final class Grams {
  /** Bytes of a gram. */
  static final int LENGTH = 3;

  private static final int BEGIN = 0x01;
  private static final int END = 0x02;

  private Grams() {}

  /** Puts the begin marker where a value starts. */
  static void begin(ByteAppender text) {
    text.append(BEGIN);
  }

  /** Puts the end marker where a value stops. */
  static void end(ByteAppender text) {
    text.append(END);
  }
}
