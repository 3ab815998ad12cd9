package org.nyala.core.access.rule;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.nyala.core.access.rule.Token.Kind;
import org.nyala.core.bytes.Utf8;

/**
 * Takes a file of rules apart, token by token and in time linear in its length. A line goes on in
 * the next one after a comma or a backslash; {@code #} and the rest of a line are a comment. A
 * semicolon before a space, or at the end, is an end of a line, too, so that a rule may be written
 * in one.
 *
 * <p>Confined to one thread.
 */
final class RulesLexer {
  private static final String WORD_SIGNS = "-_.:/;@*+";
  private static final char BYTE_ORDER_MARK = '\ufeff';

  private final String file;
  private final String text;
  private int at;
  private int line = 1;
  private int columnAt;
  private int column = 1;
  private Kind last = Kind.LINE_END;

  /**
   * Starts at the beginning of a file.
   *
   * @throws InvalidRulesException if it is too long or not UTF-8
   */
  RulesLexer(String file, byte[] utf8) throws InvalidRulesException {
    this.file = file;
    if (utf8.length > RulesParser.MAXIMUM_BYTES) {
      throw new InvalidRulesException(
          new Source(file, 1, 1),
          utf8.length + " bytes, at most " + RulesParser.MAXIMUM_BYTES + " are allowed");
    }
    this.text = decoded(file, utf8);
    this.at = !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? 1 : 0;
    this.columnAt = at;
  }

  private static String decoded(String file, byte[] utf8) throws InvalidRulesException {
    ByteBuffer bytes = ByteBuffer.wrap(utf8);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException _) {
      throw new InvalidRulesException(firstInvalid(file, utf8), "found bytes that are not UTF-8");
    }
  }

  private static Source firstInvalid(String file, byte[] utf8) {
    int line = 0;
    int start = 0;
    int end = -1;
    do {
      start = end + 1;
      end = start;
      while (end < utf8.length && utf8[end] != '\n') {
        end++;
      }
      line++;
    } while (end < utf8.length && Utf8.isValid(utf8, start, end - start));
    return new Source(file, line, 1);
  }

  /**
   * Returns the next token; {@link Kind#END} at the end and ever after, with a {@link
   * Kind#LINE_END} before it if there is any other token.
   */
  Token next() throws InvalidRulesException {
    while (at < text.length()) {
      switch (text.charAt(at)) {
        case ' ', '\t', '\r' -> at++;
        case '\n' -> {
          int end = at;
          boolean isJoined = last == Kind.COMMA || last == Kind.LINE_END;
          Token token = isJoined ? null : token(Kind.LINE_END, "", end);
          nextLine();
          if (token != null) {
            return token;
          }
        }
        case '#' -> skipComment();
        case '\\' -> continuation();
        case ';' -> {
          if (!endsLine(at)) {
            return visible();
          }
          if (last != Kind.LINE_END) {
            return sign(Kind.LINE_END);
          }
          at++;
        }
        default -> {
          return visible();
        }
      }
    }
    return token(last == Kind.LINE_END || last == Kind.END ? Kind.END : Kind.LINE_END, "", at);
  }

  private boolean endsLine(int index) {
    int next = index + 1;
    return text.charAt(index) == ';'
        && (next == text.length() || " \t\r\n".indexOf(text.charAt(next)) >= 0);
  }

  private Token visible() throws InvalidRulesException {
    return switch (text.charAt(at)) {
      case ',' -> sign(Kind.COMMA);
      case '=' -> sign(Kind.EQUALS);
      case '"' -> quoted();
      case '(' -> filter();
      default -> word();
    };
  }

  /* Columns are counted on from the last one, so that long lines take linear time. */
  private Source source(int index) {
    column += text.codePointCount(columnAt, index);
    columnAt = index;
    return new Source(file, line, column);
  }

  private Token token(Kind kind, String meaning, int start) {
    last = kind;
    return new Token(kind, meaning, source(start));
  }

  private Token sign(Kind kind) {
    int start = at++;
    return token(kind, text.substring(start, at), start);
  }

  private void nextLine() {
    at++;
    line++;
    column = 1;
    columnAt = at;
  }

  private void skipComment() {
    while (at < text.length() && text.charAt(at) != '\n') {
      at++;
    }
  }

  private void continuation() throws InvalidRulesException {
    int start = at++;
    while (at < text.length() && " \t\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (at == text.length() || text.charAt(at) != '\n') {
      throw new InvalidRulesException(
          source(start), "found '\\', which is only allowed at the end of a line or in quotes");
    }
    nextLine();
  }

  /* Two quotes are one; nothing else has a meaning, so that names keep their backslashes. */
  private Token quoted() throws InvalidRulesException {
    int start = at++;
    StringBuilder meaning = new StringBuilder();
    while (true) {
      if (at == text.length() || text.charAt(at) == '\n' || text.charAt(at) == '\r') {
        throw new InvalidRulesException(
            source(start), "found a quote, expected another one in the same line");
      }
      char c = text.charAt(at++);
      if (c == '"') {
        if (at == text.length() || text.charAt(at) != '"') {
          break;
        }
        at++;
      }
      meaning.append(c);
    }
    return token(Kind.QUOTED, meaning.toString(), start);
  }

  private Token filter() throws InvalidRulesException {
    int start = at;
    int depth = 0;
    do {
      if (at == text.length() || text.charAt(at) == '\n' || text.charAt(at) == '\r') {
        throw new InvalidRulesException(
            source(start), "found a filter without end, expected ')' in the same line");
      }
      char c = text.charAt(at++);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth > RulesParser.MAXIMUM_FILTER_DEPTH) {
        throw new InvalidRulesException(
            source(start),
            "found a filter with more than "
                + RulesParser.MAXIMUM_FILTER_DEPTH
                + " parentheses inside each other");
      }
    } while (depth > 0);
    return token(Kind.FILTER, text.substring(start, at), start);
  }

  private Token word() throws InvalidRulesException {
    int start = at;
    while (at < text.length() && isWordCharacter(text.charAt(at)) && !endsLine(at)) {
      at++;
    }
    if (at == start) {
      String found = Character.toString(text.codePointAt(at));
      throw new InvalidRulesException(
          source(start), "found '" + Token.shown(found) + "', which needs quotes");
    }
    return token(Kind.WORD, text.substring(start, at), start);
  }

  private static boolean isWordCharacter(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || WORD_SIGNS.indexOf(c) >= 0;
  }
}
