package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.schema.InvalidSchemaException;

/**
 * Splits the description of a schema element (RFC 4512, section 4.1) into words, quoted strings and
 * punctuation.
 *
 * <p>Confined to one running operation.
 */
final class DefinitionReader {
  private static final int MAXIMUM_SHOWN = 40;

  private final String text;
  private final String where;
  private String token = "";
  private boolean quoted;
  private int at;

  DefinitionReader(String text, String where) {
    this.text = text;
    this.where = where;
  }

  /** Reads the next token and returns whether there is one. */
  boolean next() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    quoted = false;
    if (at == text.length()) {
      token = "";
      return false;
    }
    int from = at++;
    char first = text.charAt(from);
    if (first == '\'') {
      readQuoted();
    } else if (isPunctuation(first)) {
      token = text.substring(from, at);
    } else {
      while (at < text.length() && !endsWord(text.charAt(at))) {
        at++;
      }
      token = text.substring(from, at);
    }
    return true;
  }

  private void readQuoted() {
    int from = at;
    int end = text.indexOf('\'', at);
    if (end < 0) {
      throw invalid("a quote without end");
    }
    at = end + 1;
    quoted = true;
    String content = text.substring(from, end);
    token =
        content.indexOf('\\') < 0
            ? content
            : content.replace("\\27", "'").replace("\\5c", "\\").replace("\\5C", "\\");
  }

  private static boolean isPunctuation(char c) {
    return c == '(' || c == ')' || c == '$';
  }

  private static boolean endsWord(char c) {
    return isPunctuation(c) || c == '\'' || Character.isWhitespace(c);
  }

  /** The token read last. */
  String token() {
    return token;
  }

  /** Reads the next token, which must be there. */
  String require(String expected) {
    if (!next()) {
      throw invalid("expected " + expected + ", found the end");
    }
    return token;
  }

  /** Reads the next token, which must be the given punctuation. */
  void requirePunctuation(String punctuation) {
    require("'" + punctuation + "'");
    if (quoted || !token.equals(punctuation)) {
      throw invalid("expected '" + punctuation + "', found '" + shown(token) + "'");
    }
  }

  /** Reads an object identifier or name, which some files quote. */
  String requireIdentifier() {
    String identifier = require("a name or object identifier");
    if (!quoted && isPunctuation(identifier.charAt(0)) || identifier.isEmpty()) {
      throw invalid("expected a name or object identifier, found '" + shown(identifier) + "'");
    }
    return identifier;
  }

  String requireQuoted() {
    String content = require("a string in quotes");
    if (!quoted) {
      throw invalid("expected a string in quotes, found '" + shown(content) + "'");
    }
    return content;
  }

  /** Reads one element or several in parentheses, separated by {@code $} or nothing. */
  List<String> requireList() {
    List<String> elements = new ArrayList<>(2);
    String element = require("a name or a list");
    if (quoted || !element.equals("(")) {
      elements.add(element);
      return elements;
    }
    while (!isEnd(require("')'"))) {
      if (quoted || !token.equals("$")) {
        elements.add(token);
      }
    }
    return elements;
  }

  /** Returns whether the last token read is an unquoted closing parenthesis. */
  boolean isEnd(String read) {
    return !quoted && read.equals(")");
  }

  InvalidSchemaException invalid(String what) {
    return new InvalidSchemaException(where + ": " + what + ", at character " + at);
  }

  private static String shown(String text) {
    return text.length() <= MAXIMUM_SHOWN ? text : text.substring(0, MAXIMUM_SHOWN) + "...";
  }
}
