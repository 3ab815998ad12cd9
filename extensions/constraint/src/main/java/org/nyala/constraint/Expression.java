package org.nyala.constraint;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import org.nyala.core.filter.Pace;

/**
 * A regular expression whose time grows with the length of the value and with nothing else, in the
 * syntax of RE2. Like {@code regexec} of POSIX, it finds a match anywhere in the value, and a dot
 * matches a line break too.
 *
 * <p>Immutable.
 */
final class Expression {
  /**
   * Characters of an expression. Longer ones are lists of values in disguise, for which there are
   * better rules.
   */
  static final int MAXIMUM_CHARS = 1024;

  /**
   * Steps of an expression for one character of a value, each repetition counted as often as it
   * repeats. The compiler would make a copy of the repeated part for each, without an end.
   */
  static final int MAXIMUM_STEPS = 2000;

  /**
   * Steps that count as one look-up. The matcher reads each character up to three times, so these
   * are four real steps, which take less time than a look-up: with the default limit, one update
   * takes less than a second.
   */
  private static final int STEPS_PER_LOOK = 12;

  private final Pattern pattern;
  private final int steps;

  private Expression(Pattern pattern) {
    this.pattern = pattern;
    this.steps = pattern.programSize();
  }

  /**
   * Parses an expression.
   *
   * @throws IllegalArgumentException if it is malformed, too long, repeats too much, or means
   *     something else in POSIX; the message says so to whoever wrote it
   */
  static Expression of(String text) {
    if (text.length() > MAXIMUM_CHARS) {
      throw new IllegalArgumentException(
          "expected a regular expression of at most " + MAXIMUM_CHARS + " characters");
    }
    if (ExpressionSize.of(text) > MAXIMUM_STEPS) {
      throw new IllegalArgumentException(
          "the regular expression repeats too much: more than " + MAXIMUM_STEPS + " steps");
    }
    try {
      return new Expression(Pattern.compile(text, Pattern.DOTALL));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "the regular expression has a mistake: " + e.getDescription(), e);
    }
  }

  /**
   * Returns whether a part of a value matches. Bytes that are no UTF-8 are taken for characters.
   *
   * @param pace counted down with the work; once it ends, the answer has no meaning
   */
  boolean isFoundIn(byte[] value, Pace pace) {
    try {
      return pattern.matcher(new PacedText(text(value), steps, pace)).find();
    } catch (PaceEnded _) {
      return false;
    }
  }

  private static String text(byte[] value) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(value)).toString();
    } catch (CharacterCodingException _) {
      return new String(value, ISO_8859_1);
    }
  }

  /**
   * A text that counts how often it is read, and ends the match when the pace ends.
   *
   * <p>Confined to one match.
   */
  private static final class PacedText implements CharSequence {
    private final String text;
    private final int steps;
    private final Pace pace;
    private int owed;

    PacedText(String text, int steps, Pace pace) {
      this.text = text;
      this.steps = steps;
      this.pace = pace;
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      owed += steps;
      while (owed >= STEPS_PER_LOOK) {
        owed -= STEPS_PER_LOOK;
        if (!pace.goesOn()) {
          throw new PaceEnded();
        }
      }
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** The end of the pace within a match. Carries no stack trace: clients cause it. */
  private static final class PaceEnded extends RuntimeException {
    private static final long serialVersionUID = 1;

    PaceEnded() {
      super(null, null, false, false);
    }
  }
}
