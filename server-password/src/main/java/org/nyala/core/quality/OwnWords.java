package org.nyala.core.quality;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The search for words of an account in its password. Case, accents and the usual replacements of
 * letters by digits and signs make no difference, and neither does writing a word backwards.
 *
 * <p>Stateless.
 */
final class OwnWords {
  /** The length from which on a word in a password counts. */
  private static final int SHORTEST_WORD = 4;

  /** Bounds of the work: values, and characters of a value or a password. */
  private static final int MOST_VALUES = 256;

  private static final int MOST_CHARACTERS = 256;

  private static final Pattern SEPARATORS = Pattern.compile("[^\\p{L}\\p{M}\\p{Nd}]+");
  private static final Pattern MARKS = Pattern.compile("\\p{M}+");

  /** Signs that stand for letters; l becomes i, because 1 stands for both. */
  private static final String SIGNS = "l1!|0345$78@";

  private static final String LETTERS = "iiiioeasstba";

  private OwnWords() {}

  /** Returns whether a password contains a word of some values, or is part of one of the values. */
  static boolean areIn(String password, List<String> values) {
    String folded = fold(password);
    if (folded.isEmpty()) {
      return false;
    }
    String letters = SEPARATORS.matcher(folded).replaceAll("");
    return values.stream()
        .limit(MOST_VALUES)
        .map(value -> PasswordText.beginning(value, MOST_CHARACTERS))
        .anyMatch(value -> containsWord(letters, value) || isEitherWayIn(folded, fold(value)));
  }

  private static boolean containsWord(String letters, String value) {
    List<String> words = new ArrayList<>();
    for (String part : SEPARATORS.split(value, -1)) {
      words.add(fold(part));
    }
    words.add(String.join("", words));
    return words.stream()
        .filter(word -> word.codePointCount(0, word.length()) >= SHORTEST_WORD)
        .anyMatch(word -> isEitherWayIn(word, letters));
  }

  private static boolean isEitherWayIn(String part, String whole) {
    return whole.contains(part) || whole.contains(new StringBuilder(part).reverse());
  }

  /** Returns the beginning of a text in the form that is compared. */
  private static String fold(String text) {
    String beginning = PasswordText.beginning(text, MOST_CHARACTERS);
    String plain =
        MARKS.matcher(Normalizer.normalize(beginning, Normalizer.Form.NFKD)).replaceAll("");
    StringBuilder folded = new StringBuilder(plain.toLowerCase(Locale.ROOT));
    for (int i = 0; i < folded.length(); i++) {
      int sign = SIGNS.indexOf(folded.charAt(i));
      if (sign >= 0) {
        folded.setCharAt(i, LETTERS.charAt(sign));
      }
    }
    return folded.toString();
  }
}
