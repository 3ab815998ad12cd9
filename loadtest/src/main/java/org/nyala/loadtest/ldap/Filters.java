package org.nyala.loadtest.ldap;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * An encoder of filters that are written as text (RFC 4515). Not for the hot path; confined to the
 * thread that encodes.
 */
public final class Filters {
  private static final int MAX_DEPTH = 64;

  private final String text;
  private int at;

  private Filters(String text) {
    this.text = text;
  }

  /**
   * Encodes a filter.
   *
   * @throws IllegalArgumentException if the text is not a filter
   */
  public static byte[] encode(String filter) {
    Filters parser = new Filters(filter);
    byte[] encoded = parser.filter(0);
    if (parser.at != filter.length()) {
      throw parser.wrong();
    }
    return encoded;
  }

  /** Returns whether a text can be encoded. */
  public static boolean isFilter(String text) {
    try {
      return encode(text).length > 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private byte[] filter(int depth) {
    if (depth > MAX_DEPTH) {
      throw wrong();
    }
    take('(');
    byte[] encoded =
        switch (peek()) {
          case '&' -> list(0xa0, depth);
          case '|' -> list(0xa1, depth);
          case '!' -> negation(depth);
          default -> item();
        };
    take(')');
    return encoded;
  }

  private byte[] list(int tag, int depth) {
    at++;
    List<byte[]> parts = new ArrayList<>();
    while (peek() == '(') {
      parts.add(filter(depth + 1));
    }
    return Pdu.element(tag, parts.toArray(byte[][]::new));
  }

  private byte[] negation(int depth) {
    at++;
    return Pdu.element(0xa2, filter(depth + 1));
  }

  private byte[] item() {
    int equals = text.indexOf('=', at);
    int end = text.indexOf(')', at);
    if (equals <= at || end < equals) {
      throw wrong();
    }
    String left = text.substring(at, equals);
    String right = text.substring(equals + 1, end);
    at = end;
    String attribute = left.substring(0, left.length() - 1);
    return switch (left.charAt(left.length() - 1)) {
      case '>' -> assertion(0xa5, attribute, right);
      case '<' -> assertion(0xa6, attribute, right);
      case '~' -> assertion(0xa8, attribute, right);
      case ':' -> extensible(attribute, right);
      default -> equality(left, right);
    };
  }

  private byte[] equality(String attribute, String value) {
    if ("*".equals(value)) {
      return Pdu.element(0x87, Pdu.utf8(attribute));
    }
    return value.indexOf('*') < 0
        ? assertion(0xa3, attribute, value)
        : substrings(attribute, value);
  }

  private byte[] assertion(int tag, String attribute, String value) {
    return Pdu.element(
        tag,
        Pdu.element(Pdu.OCTET_STRING, Pdu.utf8(attribute)),
        Pdu.element(Pdu.OCTET_STRING, unescape(value)));
  }

  private byte[] substrings(String attribute, String value) {
    String[] pieces = value.split("\\*", -1);
    List<byte[]> encoded = new ArrayList<>();
    for (int i = 0; i < pieces.length; i++) {
      int tag = i == 0 ? 0x80 : i == pieces.length - 1 ? 0x82 : 0x81;
      if (!pieces[i].isEmpty()) {
        encoded.add(Pdu.element(tag, unescape(pieces[i])));
      }
    }
    return Pdu.element(
        0xa4,
        Pdu.element(Pdu.OCTET_STRING, Pdu.utf8(attribute)),
        Pdu.element(Pdu.SEQUENCE, encoded.toArray(byte[][]::new)));
  }

  /** {@code attribute[:dn][:rule]}, without the last colon. */
  private byte[] extensible(String left, String value) {
    String[] pieces = left.split(":", -1);
    boolean isOfDn = pieces.length > 1 && "dn".equalsIgnoreCase(pieces[1]);
    int ruleAt = isOfDn ? 2 : 1;
    List<byte[]> parts = new ArrayList<>();
    if (pieces.length > ruleAt) {
      parts.add(Pdu.element(0x81, Pdu.utf8(pieces[ruleAt])));
    }
    if (!pieces[0].isEmpty()) {
      parts.add(Pdu.element(0x82, Pdu.utf8(pieces[0])));
    }
    parts.add(Pdu.element(0x83, unescape(value)));
    if (isOfDn) {
      parts.add(Pdu.element(0x84, new byte[] {(byte) 0xff}));
    }
    return Pdu.element(0xa9, parts.toArray(byte[][]::new));
  }

  private byte[] unescape(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '\\') {
        if (i + 2 >= bytes.length) {
          throw wrong();
        }
        out.write(hex(bytes[i + 1]) << 4 | hex(bytes[i + 2]));
        i += 2;
      } else {
        out.write(bytes[i]);
      }
    }
    return out.toByteArray();
  }

  private int hex(byte digit) {
    int value = Character.digit(digit, 16);
    if (value < 0) {
      throw wrong();
    }
    return value;
  }

  private char peek() {
    if (at >= text.length()) {
      throw wrong();
    }
    return text.charAt(at);
  }

  private void take(char expected) {
    if (peek() != expected) {
      throw wrong();
    }
    at++;
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("not a filter: " + text);
  }
}
