package org.nyala.core.bytes;

/**
 * Text of files, clients and other servers in a form that messages, logs and terminals can show.
 * Stateless.
 */
public final class PrintableText {
  private PrintableText() {}

  /**
   * Returns text without what could drive a terminal, forge a line or turn the direction of
   * writing: a question mark takes its place. Letters of all languages stay.
   *
   * @param most the characters (code points) that are returned at most, at least 0; dots follow if
   *     there are more
   */
  public static String of(String text, int most) {
    StringBuilder shown = new StringBuilder(Math.min(text.length(), most) + 3);
    int at = 0;
    for (int count = 0; count < most && at < text.length(); count++) {
      int each = text.codePointAt(at);
      shown.appendCodePoint(isVisible(each) ? each : '?');
      at += Character.charCount(each);
    }
    return at < text.length() ? shown.append("...").toString() : shown.toString();
  }

  /** Returns whether a character (a code point) is one that can be shown as it is. */
  public static boolean isVisible(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
