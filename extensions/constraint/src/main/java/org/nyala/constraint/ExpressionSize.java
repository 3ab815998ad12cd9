package org.nyala.constraint;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The size of a regular expression before it is compiled: characters, sets, groups and anchors,
 * those in repeated parts as often as they repeat.
 *
 * <p>Confined to one expression.
 */
final class ExpressionSize {
  /** A size beyond all bounds; the product with a repetition still fits into a long. */
  private static final long HUGE = Integer.MAX_VALUE;

  private final String text;
  private final Deque<Long> outer = new ArrayDeque<>();
  private int at;
  private long size;
  private long last;

  private ExpressionSize(String text) {
    this.text = text;
  }

  /**
   * Returns the size.
   *
   * @throws IllegalArgumentException if a part means something else in POSIX
   */
  static long of(String text) {
    ExpressionSize measured = new ExpressionSize(text);
    while (measured.at < text.length()) {
      measured.next();
    }
    return measured.outer.stream().reduce(measured.size, Long::sum);
  }

  private void next() {
    char c = text.charAt(at);
    at++;
    switch (c) {
      case '\\' -> escape();
      case '[' -> set();
      case '(' -> {
        // A group without anything in it takes room when it is repeated, too.
        outer.push(size);
        size = 1;
        last = 1;
      }
      case ')' -> {
        last = size;
        size += outer.isEmpty() ? 0 : outer.pop();
      }
      case '{' -> repetition();
      case '*', '+', '?' -> {}
      default -> atom();
    }
    size = Math.min(size, HUGE);
  }

  private void atom() {
    last = 1;
    size++;
  }

  /* \p{Greek} is one character, and so are all others. */
  private void escape() {
    char c = at < text.length() ? text.charAt(at) : ' ';
    at++;
    if (c == 'Q' || c == 'E') {
      throw new IllegalArgumentException("\\Q and \\E are not allowed in regular expressions");
    }
    if ((c == 'p' || c == 'P') && at < text.length() && text.charAt(at) == '{') {
      at = end(text.indexOf('}', at), "\\p{");
    }
    atom();
  }

  /** Skips a set; its first character may be the one that would end it. */
  private void set() {
    if (at < text.length() && text.charAt(at) == '^') {
      at++;
    }
    int first = at;
    while (at < text.length() && (text.charAt(at) != ']' || at == first)) {
      if (text.charAt(at) == '\\') {
        requireDoubled();
        at++;
      } else if (text.startsWith("[:", at)) {
        at = end(text.indexOf(":]", at + 2), "[:");
      } else if (text.startsWith("[.", at) || text.startsWith("[=", at)) {
        throw new IllegalArgumentException(
            "[. and [= of POSIX are not supported in regular expressions");
      }
      at++;
    }
    at++;
    atom();
  }

  /* A backslash in a set is itself in POSIX, and says how to read the next character in RE2. */
  private void requireDoubled() {
    if (at + 1 >= text.length() || text.charAt(at + 1) != '\\') {
      throw new IllegalArgumentException(
          "a backslash in brackets of a regular expression is to be written twice,"
              + " and stands for itself; other characters need none there");
    }
  }

  private static int end(int found, String opened) {
    if (found < 0) {
      throw new IllegalArgumentException(
          "the regular expression has a mistake: the end of " + opened + " is missing");
    }
    return found + 1;
  }

  /** Multiplies the part before it; braces that are no repetition are characters. */
  private void repetition() {
    if (text.startsWith(",", at)) {
      throw new IllegalArgumentException(
          "a repetition of a regular expression begins with a number: {0,3} instead of {,3}");
    }
    int close = text.indexOf('}', at);
    String[] bounds = close < 0 ? new String[0] : text.substring(at, close).split(",", 2);
    long most = 0;
    for (String bound : bounds) {
      if (!bound.isEmpty() && bound.length() < 6 && bound.chars().allMatch(Character::isDigit)) {
        most = Math.max(most, Integer.parseInt(bound));
      }
    }
    if (most == 0) {
      atom();
      return;
    }
    at = close + 1;
    size = Math.min(size + last * (most - 1), HUGE);
    last = Math.min(last * most, HUGE);
  }
}
