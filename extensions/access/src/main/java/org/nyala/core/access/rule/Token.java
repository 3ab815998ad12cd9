package org.nyala.core.access.rule;

/**
 * A token of a file of rules.
 *
 * <p>Immutable.
 *
 * @param kind the kind
 * @param text its meaning: a quoted text without quotes
 * @param source its place
 */
record Token(Kind kind, String text, Source source) {
  private static final int SHOWN_CHARS = 60;

  enum Kind {
    /** A word, number, name of an attribute, or network. */
    WORD,
    /** A text in quotes. */
    QUOTED,
    /** A filter, with its parentheses. */
    FILTER,
    COMMA,
    /** An equals sign. */
    EQUALS,
    /** The end of a line that is not continued. */
    LINE_END,
    /** The end of the file. */
    END
  }

  boolean isWord(String word) {
    return kind == Kind.WORD && text.equals(word);
  }

  /** The token as messages show it, cut if it is long. */
  String shown() {
    return switch (kind) {
      case WORD, FILTER, COMMA, EQUALS -> "'" + shown(text) + "'";
      case QUOTED -> '"' + shown(text) + '"';
      case LINE_END -> "the end of the line";
      case END -> "the end of the file";
    };
  }

  /** Returns a text as messages show it. */
  static String shown(String text) {
    return text.length() <= SHOWN_CHARS ? text : text.substring(0, SHOWN_CHARS) + "...";
  }
}
