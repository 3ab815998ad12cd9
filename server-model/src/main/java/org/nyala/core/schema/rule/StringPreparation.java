package org.nyala.core.schema.rule;

import java.text.Normalizer.Form;
import java.util.Locale;

/**
 * The preparation of text for comparison (RFC 4518) outside ASCII: map, fold case, normalise to
 * NFKC, then squeeze insignificant spaces.
 *
 * <p>Spaces end up as {@link TextNormalizer} leaves them: none at the ends of a value, one between
 * words. Code points that RFC 4518 prohibits are let through, so that text in scripts newer than
 * Unicode 3.2 can be searched for.
 */
final class StringPreparation {
  private static final int DOTTED_CAPITAL_I = 0x130;
  private static final int DOTLESS_SMALL_I = 0x131;

  /**
   * Combining marks in a row that are still put in order: to order them takes time by the square of
   * their number. No language comes near; stream-safe text (Unicode Standard Annex #15, section 13)
   * has 30.
   */
  private static final int MARKS_MAXIMUM = 100;

  /** The mark of a character not yet computed; the character of this number is no text. */
  private static final char UNKNOWN = 0;

  /** The mark of a character that becomes several, or one that is none by itself. */
  private static final char SEVERAL = '\uffff';

  /**
   * The result for each character of the basic plane. Threads may write the same result at once;
   * one that does not see it computes it again.
   */
  private static final char[] FOLDED = new char[Character.MAX_VALUE + 1];

  private StringPreparation() {}

  /**
   * Maps, folds and normalises; spaces are left as they are. Text with more than {@value
   * #MARKS_MAXIMUM} combining marks in a row is none and not normalised.
   */
  static String prepare(String text, boolean foldsCase) {
    String mapped = map(text);
    if (hasTooManyMarks(mapped)) {
      return foldsCase ? fold(mapped) : mapped;
    }
    String prepared = java.text.Normalizer.normalize(mapped, Form.NFKC);
    if (!foldsCase) {
      return prepared;
    }
    /* Folding can make new compositions and NFKC new capitals: two rounds reach the fixed point. */
    for (int round = 0; round < 2; round++) {
      prepared = java.text.Normalizer.normalize(fold(prepared), Form.NFKC);
    }
    return prepared;
  }

  private static boolean hasTooManyMarks(String text) {
    int marks = 0;
    for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
      marks = isCombining(text, i) ? marks + 1 : 0;
      if (marks > MARKS_MAXIMUM) {
        return true;
      }
    }
    return false;
  }

  /** Squeezes runs of spaces to one and drops those at the ends that are not kept. */
  static String squeeze(String text, boolean keepsLeading, boolean keepsTrailing) {
    StringBuilder target = new StringBuilder(text.length());
    boolean pending = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == ' ' && !isCombining(text, i + 1)) {
        pending = true;
      } else {
        if (pending && (keepsLeading || !target.isEmpty())) {
          target.append(' ');
        }
        pending = false;
        target.append(c);
      }
    }
    if (pending && keepsTrailing && !target.isEmpty()) {
      target.append(' ');
    }
    return target.toString();
  }

  private static boolean isCombining(String text, int index) {
    if (index >= text.length()) {
      return false;
    }
    int type = Character.getType(text.codePointAt(index));
    return type == Character.NON_SPACING_MARK
        || type == Character.ENCLOSING_MARK
        || type == Character.COMBINING_SPACING_MARK;
  }

  /** RFC 4518, section 2.2, but for case folding. */
  private static String map(String text) {
    StringBuilder target = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); ) {
      int codePoint = text.codePointAt(i);
      i += Character.charCount(codePoint);
      if (isSpace(codePoint)) {
        target.append(' ');
      } else if (!isNothing(codePoint)) {
        target.appendCodePoint(codePoint);
      }
    }
    return target.toString();
  }

  private static boolean isSpace(int codePoint) {
    if (codePoint >= 0x09 && codePoint <= 0x0d || codePoint == 0x85) {
      return true;
    }
    int type = Character.getType(codePoint);
    return type == Character.SPACE_SEPARATOR
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR;
  }

  private static boolean isNothing(int codePoint) {
    return switch (codePoint) {
      case 0xad, 0x34f, 0x6dd, 0x70f, 0x1806, 0x180b, 0x180c, 0x180d, 0x180e, 0x200b -> true;
      case 0x2060, 0x2061, 0x2062, 0x2063, 0xfeff, 0xfff9, 0xfffa, 0xfffb, 0xfffc, 0xe0001 -> true;
      default ->
          Character.getType(codePoint) == Character.CONTROL
              || isBetween(codePoint, 0x200c, 0x200f)
              || isBetween(codePoint, 0x202a, 0x202e)
              || isBetween(codePoint, 0x206a, 0x206f)
              || isBetween(codePoint, 0xfe00, 0xfe0f)
              || isBetween(codePoint, 0x1d173, 0x1d17a)
              || isBetween(codePoint, 0xe0020, 0xe007f);
    };
  }

  private static boolean isBetween(int codePoint, int first, int last) {
    return codePoint >= first && codePoint <= last;
  }

  /**
   * Folds case code point by code point, so that a sigma is the same at the end of a word and
   * elsewhere; through upper case, so that characters that only upper case equates are equal.
   */
  private static String fold(String text) {
    StringBuilder target = new StringBuilder(text.length() + 4);
    for (int i = 0; i < text.length(); ) {
      int codePoint = text.codePointAt(i);
      i += Character.charCount(codePoint);
      if (codePoint < 0x80) {
        target.append((char) Character.toLowerCase(codePoint));
      } else if (codePoint == DOTTED_CAPITAL_I) {
        target.append("i\u0307");
      } else if (codePoint == DOTLESS_SMALL_I) {
        target.append((char) codePoint);
      } else {
        foldOne(codePoint, target);
      }
    }
    return target.toString();
  }

  private static void foldOne(int codePoint, StringBuilder target) {
    if (codePoint > Character.MAX_VALUE) {
      foldSlowly(codePoint, target);
      return;
    }
    char known = FOLDED[codePoint];
    if (known == UNKNOWN) {
      StringBuilder folded = new StringBuilder(4);
      foldSlowly(codePoint, folded);
      known = folded.length() == 1 ? folded.charAt(0) : SEVERAL;
      FOLDED[codePoint] = known;
    }
    if (known == SEVERAL) {
      foldSlowly(codePoint, target);
    } else {
      target.append(known);
    }
  }

  private static void foldSlowly(int codePoint, StringBuilder target) {
    String upper = Character.toString(Character.toLowerCase(codePoint)).toUpperCase(Locale.ROOT);
    for (int i = 0; i < upper.length(); ) {
      int each = upper.codePointAt(i);
      i += Character.charCount(each);
      target.appendCodePoint(Character.toLowerCase(each));
    }
  }
}
