package org.nyala.management.page;

import java.util.HashMap;
import java.util.Map;

/**
 * The reader of one JSON object whose values are texts, integers and truths: what an action takes.
 * Objects in objects and lists are refused, so that nothing is deep.
 *
 * <p>Confined to one thread.
 */
final class FlatJson {
  private static final int HEX = 16;
  private static final int CODE_LENGTH = 4;
  private static final int MOST_DIGITS = 18;

  private final String text;
  private int at;

  private FlatJson(String text) {
    this.text = text;
  }

  /**
   * Reads an object.
   *
   * @return String, Long and Boolean by their names
   * @throws IllegalArgumentException if the text is anything else, or a name occurs twice
   */
  static Map<String, Object> read(String text) {
    FlatJson reader = new FlatJson(text);
    Map<String, Object> values = reader.object();
    reader.skip();
    if (reader.at < text.length()) {
      throw reader.malformed();
    }
    return values;
  }

  private Map<String, Object> object() {
    Map<String, Object> values = new HashMap<>();
    expect('{');
    skip();
    boolean goesOn = !is('}');
    while (goesOn) {
      skip();
      String name = string();
      expect(':');
      skip();
      if (values.put(name, value()) != null) {
        throw malformed();
      }
      skip();
      goesOn = is(',');
      at += goesOn ? 1 : 0;
    }
    expect('}');
    return values;
  }

  private Object value() {
    if (is('"')) {
      return string();
    }
    int begin = at;
    while (at < text.length() && isOfWord(text.charAt(at))) {
      at++;
    }
    String word = text.substring(begin, at);
    if (word.equals("true") || word.equals("false")) {
      return word.equals("true");
    }
    if (!word.matches("-?(0|[1-9][0-9]*)") || word.length() > MOST_DIGITS) {
      throw malformed();
    }
    return Long.parseLong(word);
  }

  private static boolean isOfWord(char c) {
    return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-';
  }

  private String string() {
    StringBuilder value = new StringBuilder();
    expect('"');
    while (!is('"')) {
      char c = next();
      if (c < ' ') {
        throw malformed();
      }
      value.append(c == '\\' ? escaped() : c);
    }
    at++;
    return value.toString();
  }

  private char escaped() {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> code();
      default -> throw malformed();
    };
  }

  private char code() {
    int code = 0;
    for (int i = 0; i < CODE_LENGTH; i++) {
      char c = next();
      int digit = c < 0x7f ? Character.digit(c, HEX) : -1;
      if (digit < 0) {
        throw malformed();
      }
      code = code * HEX + digit;
    }
    return (char) code;
  }

  private void skip() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private boolean is(char wanted) {
    return at < text.length() && text.charAt(at) == wanted;
  }

  private void expect(char wanted) {
    skip();
    if (!is(wanted)) {
      throw malformed();
    }
    at++;
  }

  private char next() {
    if (at == text.length()) {
      throw malformed();
    }
    return text.charAt(at++);
  }

  private IllegalArgumentException malformed() {
    return new IllegalArgumentException(
        "expected one JSON object of texts, whole numbers, true and false; found something else at"
            + " character "
            + (at + 1));
  }
}
