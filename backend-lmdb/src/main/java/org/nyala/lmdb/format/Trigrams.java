package org.nyala.lmdb.format;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.filter.CompiledFilter;

/**
 * The grams by which substrings are found: every three bytes in a row of the normalised value put
 * between a begin marker (0x01) and an end marker (0x02).
 *
 * <p>So {@code (a=jo*)} needs the gram {@code ^jo}, {@code (a=*hn)} the gram {@code hn$}, {@code
 * (a=*ohn*)} the gram {@code ohn}, and longer pieces all of theirs at once. A piece without a gram
 * (one byte at an end, two in the middle) gets no help. A value of n bytes has n grams, which is
 * about as small as such an index gets; conditions that the grams do not decide (their order, a
 * marker byte in the value) are left to testing the entry.
 */
public final class Trigrams {
  /** The number of bytes of a gram. */
  public static final int LENGTH = 3;

  private static final int BEGIN = 0x01;
  private static final int END = 0x02;

  private Trigrams() {}

  /**
   * Returns the grams that the pieces of an assertion need, at most {@code maximum}, evenly spread;
   * empty if every piece is too short.
   */
  public static List<byte[]> of(CompiledFilter.SubstringsItem test, int maximum) {
    ByteAppender text = new ByteAppender(64);
    List<byte[]> grams = new ArrayList<>();
    byte[] initial = test.initial();
    if (initial != null) {
      begin(text);
      add(text.append(initial), grams);
    }
    for (byte[] piece : test.any()) {
      add(text.clear().append(piece), grams);
    }
    byte[] last = test.last();
    if (last != null) {
      text.clear().append(last);
      end(text);
      add(text, grams);
    }
    return grams.size() <= maximum ? grams : spread(grams, maximum);
  }

  private static void add(ByteAppender text, List<byte[]> grams) {
    for (int at = 0; at + LENGTH <= text.length(); at++) {
      grams.add(Arrays.copyOfRange(text.array(), at, at + LENGTH));
    }
  }

  private static List<byte[]> spread(List<byte[]> grams, int maximum) {
    List<byte[]> chosen = new ArrayList<>(maximum);
    for (int i = 0; i < maximum; i++) {
      chosen.add(grams.get((int) ((long) i * grams.size() / maximum)));
    }
    return chosen;
  }

  /** Puts the begin marker at the start of a value. */
  public static void begin(ByteAppender text) {
    text.append(BEGIN);
  }

  /** Puts the end marker at the end of a value. */
  public static void end(ByteAppender text) {
    text.append(END);
  }
}
