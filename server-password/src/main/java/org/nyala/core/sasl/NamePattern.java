package org.nyala.core.sasl;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * A regular expression for names that clients send, whose work is bounded: of an expression that
 * takes exponential time, a client could otherwise take all of it.
 *
 * <p>Thread-safe.
 */
public final class NamePattern {
  /** The looks at a character after which a name does not match. */
  private static final int LOOKS = 20_000;

  private final Pattern pattern;

  /**
   * Compiles an expression, which has to match whole names.
   *
   * @throws IllegalArgumentException if it is not an expression, with its fault
   */
  public NamePattern(String expression) {
    try {
      this.pattern = Pattern.compile(expression);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException("expected a regular expression: " + e.getDescription(), e);
    }
  }

  int groups() {
    return pattern.matcher("").groupCount();
  }

  /**
   * Returns the name and its groups; null if it does not match.
   *
   * @throws TooLongException if that takes too long to find out
   */
  @Nullable List<String> match(String name) throws TooLongException {
    Matcher matcher = pattern.matcher(new Watched(name, new int[] {LOOKS}, 0, name.length()));
    try {
      if (!matcher.matches()) {
        return null;
      }
    } catch (OutOfLooksException | StackOverflowError _) {
      throw new TooLongException();
    }
    List<String> groups = new ArrayList<>(matcher.groupCount() + 1);
    for (int i = 0; i <= matcher.groupCount(); i++) {
      int start = matcher.start(i);
      groups.add(start < 0 ? "" : name.substring(start, matcher.end(i)));
    }
    return groups;
  }

  /** The expression. */
  @Override
  public String toString() {
    return pattern.pattern();
  }

  /** A name whose match takes too long. */
  static final class TooLongException extends Exception {
    private static final long serialVersionUID = 1;

    TooLongException() {
      super(null, null, false, false);
    }
  }

  /** The end of the looks. */
  private static final class OutOfLooksException extends RuntimeException {
    private static final long serialVersionUID = 1;

    OutOfLooksException() {
      super(null, null, false, false);
    }
  }

  /** A name that counts the looks at its characters. Confined to one match. */
  private record Watched(String name, int[] looks, int start, int end) implements CharSequence {
    @Override
    public int length() {
      return end - start;
    }

    @Override
    public char charAt(int index) {
      if (--looks[0] < 0) {
        throw new OutOfLooksException();
      }
      return name.charAt(start + index);
    }

    @Override
    public CharSequence subSequence(int from, int to) {
      return new Watched(name, looks, start + from, start + to);
    }

    @Override
    public String toString() {
      return name.substring(start, end);
    }
  }
}
