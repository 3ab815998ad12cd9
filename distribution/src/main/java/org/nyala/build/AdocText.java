package org.nyala.build;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text as AsciiDoc takes it, where nothing in it is markup. */
final class AdocText {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  private AdocText() {}

  /**
   * The same text with every sign that could mean something written as a character reference; line
   * ends are blanks.
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

  /** The same text in a typewriter's face. */
  static String code(String text) {
    return text.isBlank() ? "" : "``" + plain(text) + "``";
  }

  /** Text for people, with what stands between backquotes in a typewriter's face. */
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

  /** Plain text that keeps its blanks at both ends. */
  private static String spaced(String text) {
    String before = text.startsWith(" ") || text.startsWith("\n") ? " " : "";
    String after = text.endsWith(" ") || text.endsWith("\n") ? " " : "";
    return text.isBlank() ? before : before + plain(text) + after;
  }
}
