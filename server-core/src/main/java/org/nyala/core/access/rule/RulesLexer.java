package org.nyala.core.access.rule;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.nyala.core.access.rule.Token.Kind;
import org.nyala.core.bytes.Utf8;

/**
 * Takes a file of rules apart, in one pass and in time linear in its length. A line goes on in the
 * next one after a comma or a backslash; {@code #} and the rest of a line are a comment.
 *
 * <p>Confined to one thread.
 */
final class RulesLexer {
  private static final String WORD_SIGNS = "-_.:/;@*+";
  private static final char BYTE_ORDER_MARK = '\ufeff';

  private final String file;
  private final String text;
  private final List<Token> tokens = new ArrayList<>();
  private int at;
  private int line = 1;
  private int lineStart;

  private RulesLexer(String file, String text) {
    this.file = file;
    this.text = text;
  }

  /**
   * Takes a file apart.
   *
   * @return the tokens; the last one is {@link Kind#END}, after a {@link Kind#LINE_END} if there
   *     are others
   */
  static List<Token> tokens(String file, byte[] utf8) throws InvalidRulesException {
    if (utf8.length > RulesParser.MAXIMUM_BYTES) {
      throw new InvalidRulesException(
          new Source(file, 1, 1),
          utf8.length + " bytes, at most " + RulesParser.MAXIMUM_BYTES + " are allowed");
    }
    RulesLexer lexer = new RulesLexer(file, decoded(file, utf8));
    lexer.run();
    return lexer.tokens;
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

  private void run() throws InvalidRulesException {
    at = !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? 1 : 0;
    lineStart = at;
    while (at < text.length()) {
      char c = text.charAt(at);
      switch (c) {
        case ' ', '\t', '\r' -> at++;
        case '\n' -> endLine();
        case '#' -> skipComment();
        case ',' -> sign(Kind.COMMA);
        case '=' -> sign(Kind.EQUALS);
        case '"' -> quoted();
        case '(' -> filter();
        case '\\' -> continuation();
        default -> word();
      }
    }
    if (!tokens.isEmpty() && tokens.getLast().kind() != Kind.LINE_END) {
      add(Kind.LINE_END, "", at);
    }
    add(Kind.END, "", at);
  }

  private Source source(int index) {
    return new Source(file, line, text.codePointCount(lineStart, index) + 1);
  }

  private void add(Kind kind, String meaning, int start) {
    tokens.add(new Token(kind, meaning, source(start)));
  }

  private void sign(Kind kind) {
    add(kind, text.substring(at, at + 1), at);
    at++;
  }

  /* A comma joins the next line to this one. */
  private void endLine() {
    Kind before = tokens.isEmpty() ? Kind.LINE_END : tokens.getLast().kind();
    if (before != Kind.COMMA && before != Kind.LINE_END) {
      add(Kind.LINE_END, "", at);
    }
    nextLine();
  }

  private void nextLine() {
    at++;
    line++;
    lineStart = at;
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
  private void quoted() throws InvalidRulesException {
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
    add(Kind.QUOTED, meaning.toString(), start);
  }

  private void filter() throws InvalidRulesException {
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
    add(Kind.FILTER, text.substring(start, at), start);
  }

  private void word() throws InvalidRulesException {
    int start = at;
    while (at < text.length() && isWordCharacter(text.charAt(at))) {
      at++;
    }
    if (at == start) {
      String found = Character.toString(text.codePointAt(at));
      throw new InvalidRulesException(
          source(start), "found '" + Token.shown(found) + "', which needs quotes");
    }
    add(Kind.WORD, text.substring(start, at), start);
  }

  private static boolean isWordCharacter(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || WORD_SIGNS.indexOf(c) >= 0;
  }
}
