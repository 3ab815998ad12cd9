package org.nyala.core.quality;

/**
 * A reason why a new password is refused.
 *
 * <p>Immutable.
 *
 * @param kind the kind of flaw
 * @param message the reason for the client; contains neither the password nor values of the account
 */
public record PasswordFlaw(Kind kind, String message) {
  public enum Kind {
    /** The password has fewer characters than it needs. */
    TOO_SHORT,
    /** The password has more characters than it may have. */
    TOO_LONG,
    /** The password can be guessed. */
    QUALITY
  }

  static final PasswordFlaw OWN_ATTRIBUTE =
      new PasswordFlaw(
          Kind.QUALITY,
          "the password is part of the account's attributes, or contains a part of them");

  static final PasswordFlaw EASY_TO_GUESS =
      new PasswordFlaw(
          Kind.QUALITY,
          "the password is too easy to guess (common words, a keyboard pattern, a date, or"
              + " repetitions)");

  static final PasswordFlaw BREACHED =
      new PasswordFlaw(Kind.QUALITY, "the password is in the list of breached passwords");

  static PasswordFlaw tooShort(int minimum) {
    return new PasswordFlaw(Kind.TOO_SHORT, "a password needs at least " + characters(minimum));
  }

  static PasswordFlaw tooLong(int maximum) {
    return new PasswordFlaw(Kind.TOO_LONG, "a password has at most " + characters(maximum));
  }

  private static String characters(int number) {
    return number == 1 ? "1 character" : number + " characters";
  }
}
