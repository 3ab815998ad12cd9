package org.nyala.core.filter;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.FilterNode;

/**
 * Reads the text form of a filter (RFC 4515), as people write it on a command line; RFC 4526's
 * {@code (&)} and {@code (|)} are allowed, and one pair of outer parentheses may be left out.
 *
 * <p>Confined to one thread.
 */
public final class FilterParser {
  private static final int MAXIMUM_DEPTH = 64;
  private static final int HEX = 16;

  private final String text;
  private int at;

  private FilterParser(String text) {
    this.text = text;
  }

  /**
   * Reads a filter.
   *
   * @throws IllegalArgumentException saying at which character what was expected
   */
  public static FilterNode parse(String text) {
    String filter = text.startsWith("(") ? text : "(" + text + ")";
    FilterParser parser = new FilterParser(filter);
    FilterNode node = parser.filter(0);
    if (parser.at != filter.length()) {
      throw parser.problem("expected the end");
    }
    return node;
  }

  private FilterNode filter(int depth) {
    if (depth == MAXIMUM_DEPTH) {
      throw problem("more than " + MAXIMUM_DEPTH + " filters inside each other");
    }
    expect('(');
    FilterNode node =
        switch (peek()) {
          case '&' -> new FilterNode.And(set(depth));
          case '|' -> new FilterNode.Or(set(depth));
          case '!' -> {
            at++;
            yield new FilterNode.Not(filter(depth + 1));
          }
          default -> item();
        };
    expect(')');
    return node;
  }

  private List<FilterNode> set(int depth) {
    at++;
    List<FilterNode> nodes = new ArrayList<>();
    while (peek() == '(') {
      nodes.add(filter(depth + 1));
    }
    return nodes;
  }

  private FilterNode item() {
    int start = at;
    while ("=<>~:()".indexOf(peek()) < 0) {
      at++;
    }
    String attribute = text.substring(start, at);
    char operator = peek();
    if (operator == ':') {
      return extensible(attribute);
    }
    if (attribute.isBlank()) {
      throw problem("expected an attribute");
    }
    if (operator == '<' || operator == '>' || operator == '~') {
      at++;
    }
    expect('=');
    return switch (operator) {
      case '>' -> new FilterNode.GreaterOrEqual(attribute, value());
      case '<' -> new FilterNode.LessOrEqual(attribute, value());
      case '~' -> new FilterNode.Approximate(attribute, value());
      default -> equalityOrSubstrings(attribute);
    };
  }

  /* attribute [":dn"] [":" rule] ":=" value, the attribute or the rule being there */
  private FilterNode extensible(String attribute) {
    boolean dnAttributes = false;
    String rule = null;
    while (!text.startsWith(":=", at)) {
      expect(':');
      int start = at;
      while (":=()".indexOf(peek()) < 0) {
        at++;
      }
      String part = text.substring(start, at);
      if (part.equalsIgnoreCase("dn") && !dnAttributes && rule == null) {
        dnAttributes = true;
      } else if (rule == null && !part.isEmpty()) {
        rule = part;
      } else {
        throw problem("expected :=");
      }
    }
    at += 2;
    if (attribute.isEmpty() && rule == null) {
      throw problem("expected an attribute or a matching rule");
    }
    return new FilterNode.Extensible(
        rule, attribute.isEmpty() ? null : attribute, value(), dnAttributes);
  }

  // NullAway does not see the type annotations of array components of records in class files.
  @SuppressWarnings("NullAway")
  private FilterNode equalityOrSubstrings(String attribute) {
    byte[] first = value();
    if (peek() != '*') {
      return new FilterNode.Equality(attribute, first);
    }
    List<byte[]> rest = new ArrayList<>();
    while (peek() == '*') {
      at++;
      rest.add(value());
    }
    byte[] last = rest.removeLast();
    rest.removeIf(piece -> piece.length == 0);
    if (first.length == 0 && last.length == 0 && rest.isEmpty()) {
      return new FilterNode.Present(attribute);
    }
    return new FilterNode.Substrings(attribute, orNull(first), rest, orNull(last));
  }

  private static byte @Nullable [] orNull(byte[] piece) {
    return piece.length == 0 ? null : piece;
  }

  /** Bytes up to a character with a meaning; {@code \xx} is a byte. */
  private byte[] value() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while ("()*".indexOf(peek()) < 0) {
      if (peek() == '\\') {
        bytes.write(escaped());
      } else {
        int point = text.codePointAt(at);
        bytes.writeBytes(Character.toString(point).getBytes(UTF_8));
        at += Character.charCount(point);
      }
    }
    return bytes.toByteArray();
  }

  private int escaped() {
    at++;
    int high = at < text.length() ? Character.digit(text.charAt(at), HEX) : -1;
    int low = at + 1 < text.length() ? Character.digit(text.charAt(at + 1), HEX) : -1;
    if (high < 0 || low < 0) {
      throw problem("expected two hexadecimal digits after \\");
    }
    at += 2;
    return high * HEX + low;
  }

  private char peek() {
    if (at >= text.length()) {
      throw problem("the filter ends too early");
    }
    return text.charAt(at);
  }

  private void expect(char wanted) {
    if (peek() != wanted) {
      throw problem("expected " + wanted);
    }
    at++;
  }

  private IllegalArgumentException problem(String message) {
    return new IllegalArgumentException(
        "'" + text + "' is not a filter: " + message + " at character " + (at + 1));
  }
}
