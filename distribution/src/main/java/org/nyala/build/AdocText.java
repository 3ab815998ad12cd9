package org.nyala.build;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Escapes text for AsciiDoc, so that nothing in it is markup. */
final class AdocText {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  private AdocText() {}

  /**
   * Returns the text with every character that could be markup as a character reference, and blanks
   * for line ends.
   */
  static String plain(String text) {
    StringBuilder escaped = new StringBuilder();
    text.strip().codePoints().forEach(sign -> append(escaped, sign));
    return escaped.toString();
  }

  private static void append(StringBuilder to, int sign) {
    if (sign == '\n') {
      to.append(' ');
    } else if (Character.isLetterOrDigit(sign) || " ,;".indexOf(sign) >= 0 || sign > 127) {
      to.appendCodePoint(sign);
    } else {
      to.append("&#").append(sign).append(';');
    }
  }

  /** Returns the escaped text in a monospaced font. */
  static String code(String text) {
    return text.isBlank() ? "" : "``" + plain(text) + "``";
  }

  /** Returns prose, with the parts between backquotes in a monospaced font. */
  static String prose(String text) {
    Matcher code = CODE.matcher(text);
    StringBuilder prose = new StringBuilder();
    int from = 0;
    while (code.find()) {
      prose.append(spaced(text.substring(from, code.start()))).append(code(code.group(1)));
      from = code.end();
    }
    return prose.append(spaced(text.substring(from))).toString().strip();
  }

  /** Returns plain text that keeps its blanks at both ends. */
  private static String spaced(String text) {
    String before = text.startsWith(" ") || text.startsWith("\n") ? " " : "";
    String after = text.endsWith(" ") || text.endsWith("\n") ? " " : "";
    return text.isBlank() ? before : before + plain(text) + after;
  }
}
