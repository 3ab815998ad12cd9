package org.nyala.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.FilterNode;

/** Escapes text of clients so that it stays within one line of a log. */
public final class LogText {
  /** The length at which a text is cut: clients may send texts of any length. */
  static final int MAXIMUM = 8192;

  /** The length at which a field of the security log is cut: failures can be repeated at will. */
  static final int FIELD_MAXIMUM = 1024;

  private static final String CUT = "...";
  private static final String MARKUP = "<>&'";
  private static final String HEX = "0123456789ABCDEF";

  /** Characters of attribute names, options, rules, numbers and attribute selections. */
  private static final String NAME = "-.;:_*+@!{}";

  private LogText() {}

  /**
   * Returns a text in quotes; characters that would end the quotes or the line become a backslash
   * and their code.
   */
  static String quoted(String text) {
    StringBuilder safe = new StringBuilder(text.length() + 2).append('"');
    escape(text, safe);
    return safe.append('"').toString();
  }

  /** Returns the same text without quotes. */
  static String plain(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    escape(text, safe);
    return safe.toString();
  }

  private static void escape(String sent, StringBuilder target) {
    escape(withoutSecrets(sent), c -> isControl(c) || c == '"', target);
  }

  /** Appends a text, with the octets of some characters in hexadecimal. */
  private static void escape(String text, Characters special, StringBuilder target) {
    int end = Math.min(text.length(), MAXIMUM);
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      if (special.contain(c)) {
        escape(c, target);
      } else {
        target.append(c);
      }
    }
    target.append(end < text.length() ? CUT : "");
  }

  /** A set of characters. */
  private interface Characters {
    boolean contain(char c);
  }

  /**
   * Appends a text in quotes to a line whose fields are separated by blanks. Whatever ends a field,
   * the quotes or the line, blanks of all kinds and backslashes too, becomes a backslash and code.
   */
  static void field(String sent, StringBuilder target) {
    String text = withoutSecrets(sent);
    target.append('"');
    int end = end(text, FIELD_MAXIMUM);
    int plain = 0;
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      if (endsField(c)) {
        target.append(text, plain, i);
        escape(c, target);
        plain = i + 1;
      }
    }
    target.append(text, plain, end).append(end < text.length() ? CUT : "").append('"');
  }

  private static boolean endsField(char c) {
    if (c < 0x7f) {
      return c <= ' ' || c == '"' || c == '\\';
    }
    return isControl(c) || Character.isSpaceChar(c);
  }

  /** Returns a text without most of what a field of the security log would leave out. */
  static String cut(String text) {
    return text.length() <= FIELD_MAXIMUM ? text : text.substring(0, FIELD_MAXIMUM + 1);
  }

  /** Returns the place at which to cut a text, which is not within a character. */
  private static int end(String text, int maximum) {
    if (text.length() <= maximum) {
      return text.length();
    }
    return Character.isHighSurrogate(text.charAt(maximum - 1)) ? maximum - 1 : maximum;
  }

  /**
   * Returns a name for a line whose fields are separated by blanks: nothing in it looks like
   * another field.
   */
  static String name(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    escape(text, c -> !Character.isLetterOrDigit(c) && NAME.indexOf(c) < 0, safe);
    return safe.toString();
  }

  /**
   * Returns whether a character ends a line, moves the visible text or changes its direction: the
   * controls of ASCII and those above it, separators of lines, and formats of Unicode.
   */
  private static boolean isControl(char c) {
    if (c < 0x7f) {
      return c < ' ';
    }
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }

  /** Appends the octets of a character in UTF-8, each as backslash and code. */
  private static void escape(char c, StringBuilder target) {
    for (byte octet : String.valueOf(c).getBytes(UTF_8)) {
      hex(octet, target);
    }
  }

  private static void hex(int octet, StringBuilder target) {
    target.append('\\').append(HEX.charAt(octet >> 4 & 15)).append(HEX.charAt(octet & 15));
  }

  /** Appends a string of JSON with its quotes. */
  static void json(String text, StringBuilder target) {
    json(text, MAXIMUM, target);
  }

  /** Appends a string of JSON with its quotes, cut at a length. */
  static void json(String text, int maximum, StringBuilder target) {
    jsonOfSafe(withoutSecrets(text), maximum, "", target);
  }

  /**
   * Appends a string of JSON with its quotes for a page of a browser, cut at a length: nothing in
   * it can be taken for markup, wherever it is put.
   */
  public static void jsonOfPage(String text, StringBuilder target) {
    jsonOfSafe(withoutSecrets(text), FIELD_MAXIMUM, MARKUP, target);
  }

  /** Appends a string of JSON that is a filter without the values of passwords. */
  static void jsonFilter(FilterNode filter, StringBuilder target) {
    jsonOfSafe(filter(filter), MAXIMUM, "", target);
  }

  /** Appends a string of JSON; the controls in it and some further characters by their numbers. */
  private static void jsonOfSafe(String text, int maximum, String further, StringBuilder target) {
    target.append('"');
    int end = end(text, maximum);
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        target.append('\\').append(c);
      } else if (isControl(c) || further.indexOf(c) >= 0) {
        target.append("\\u").append(HexFormat.of().withUpperCase().toHexDigits(c));
      } else {
        target.append(c);
      }
    }
    target.append(end < text.length() ? CUT : "").append('"');
  }

  /**
   * Returns a text without the values that follow names of secret attributes and an equals sign, as
   * in names of entries, parsed or not; the text itself if there are none.
   */
  static String withoutSecrets(String text) {
    int end = Math.min(text.length(), MAXIMUM);
    StringBuilder safe = null;
    int from = 0;
    for (int at = text.indexOf('='); at >= 0 && at < end; at = text.indexOf('=', at + 1)) {
      if (isOfSecret(text, at)) {
        safe = safe == null ? new StringBuilder() : safe;
        safe.append(text, from, at + 1).append("hidden");
        from = endOfValue(text, at + 1, end);
        at = from - 1;
      }
    }
    if (safe == null) {
      return text;
    }
    return safe.append(text, from, end).append(end < text.length() ? CUT : "").toString();
  }

  /** Returns whether the word before an equals sign, or a part of it, is a secret attribute. */
  private static boolean isOfSecret(String text, int equals) {
    int end = equals;
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    int begin = end;
    while (begin > 0 && isOfWord(text.charAt(begin - 1))) {
      begin--;
      // A semicolon begins an option, or separates names as in RFC 2253.
      boolean isBegin = begin == 0 || !isOfWord(text.charAt(begin - 1));
      if ((isBegin || text.charAt(begin - 1) == ';')
          && text.charAt(begin) != ';'
          && !SecretAttributes.isShorter(end - begin)
          && SecretAttributes.mayBe(text.substring(begin, end))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfWord(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '-'
        || c == '.'
        || c == ';';
  }

  private static int endOfValue(String text, int begin, int end) {
    boolean isQuoted = false;
    for (int i = begin; i < end; i++) {
      char c = text.charAt(i);
      if (c == '\\') {
        i++;
      } else if (c == '"') {
        isQuoted = !isQuoted;
      } else if (!isQuoted && (c == ',' || c == '+' || c == ';')) {
        return i;
      }
    }
    return end;
  }

  /** Returns a filter as RFC 4515 writes it, without the values of passwords. */
  public static String filter(FilterNode filter) {
    StringBuilder text = new StringBuilder();
    append(filter, text);
    return text.toString();
  }

  private static void append(FilterNode filter, StringBuilder text) {
    if (text.length() > MAXIMUM) {
      if (text.charAt(text.length() - 1) != '.') {
        text.append(CUT);
      }
      return;
    }
    text.append('(');
    switch (filter) {
      case FilterNode.And and -> appendAll('&', and.nodes(), text);
      case FilterNode.Or or -> appendAll('|', or.nodes(), text);
      case FilterNode.Not not -> appendAll('!', List.of(not.node()), text);
      case FilterNode.Equality item -> item(item.attribute(), "=", item.value(), text);
      case FilterNode.GreaterOrEqual item -> item(item.attribute(), ">=", item.value(), text);
      case FilterNode.LessOrEqual item -> item(item.attribute(), "<=", item.value(), text);
      case FilterNode.Approximate item -> item(item.attribute(), "~=", item.value(), text);
      case FilterNode.Present item -> text.append(name(item.attribute())).append("=*");
      case FilterNode.Substrings item -> substrings(item, text);
      case FilterNode.Extensible item -> extensible(item, text);
    }
    text.append(')');
  }

  private static void appendAll(char operator, List<FilterNode> nodes, StringBuilder text) {
    text.append(operator);
    nodes.forEach(node -> append(node, text));
  }

  private static void item(String attribute, String operator, byte[] value, StringBuilder text) {
    text.append(name(attribute)).append(operator);
    value(attribute, value, text);
  }

  private static void substrings(FilterNode.Substrings item, StringBuilder text) {
    text.append(name(item.attribute())).append('=');
    optionalValue(item.attribute(), item.initial(), text);
    text.append('*');
    for (byte[] any : item.any()) {
      value(item.attribute(), any, text);
      text.append('*');
    }
    optionalValue(item.attribute(), item.last(), text);
  }

  private static void optionalValue(String attribute, byte @Nullable [] value, StringBuilder text) {
    if (value != null) {
      value(attribute, value, text);
    }
  }

  private static void extensible(FilterNode.Extensible item, StringBuilder text) {
    String attribute = item.attribute() == null ? "" : item.attribute();
    text.append(name(attribute)).append(item.dnAttributes() ? ":dn" : "");
    if (item.rule() != null) {
      text.append(':').append(name(item.rule()));
    }
    text.append(":=");
    value(attribute, item.value(), text);
  }

  private static void value(String attribute, byte[] value, StringBuilder text) {
    if (SecretAttributes.mayBe(attribute)) {
      text.append("hidden");
      return;
    }
    int length = Math.min(value.length, MAXIMUM);
    for (char c : withoutSecrets(new String(value, 0, length, UTF_8)).toCharArray()) {
      boolean isSpecial = c == '(' || c == ')' || c == '*' || c == '\\' || c == '"';
      if (isControl(c) || isSpecial) {
        escape(c, text);
      } else {
        text.append(c);
      }
    }
    text.append(length < value.length ? CUT : "");
  }

  /** Returns the approximate size of a filter's values and names in bytes. */
  static long bytes(FilterNode filter) {
    return switch (filter) {
      case FilterNode.And and -> bytes(and.nodes());
      case FilterNode.Or or -> bytes(or.nodes());
      case FilterNode.Not not -> bytes(List.of(not.node()));
      case FilterNode.Equality item -> item.value().length + 64L;
      case FilterNode.GreaterOrEqual item -> item.value().length + 64L;
      case FilterNode.LessOrEqual item -> item.value().length + 64L;
      case FilterNode.Approximate item -> item.value().length + 64L;
      case FilterNode.Present _ -> 64;
      case FilterNode.Substrings item ->
          64
              + length(item.initial())
              + length(item.last())
              + item.any().stream().mapToLong(any -> any.length + 16L).sum();
      case FilterNode.Extensible item -> item.value().length + 128L;
    };
  }

  private static long length(byte @Nullable [] value) {
    return value == null ? 0 : value.length;
  }

  private static long bytes(List<FilterNode> nodes) {
    long sum = 64;
    for (FilterNode node : nodes) {
      sum += bytes(node);
    }
    return sum;
  }
}
