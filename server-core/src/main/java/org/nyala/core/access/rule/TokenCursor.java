package org.nyala.core.access.rule;

import java.util.List;
import org.nyala.core.access.rule.Token.Kind;

/**
 * The tokens of a file, read one after the other, and the messages about those that do not fit.
 *
 * <p>Confined to one thread.
 */
final class TokenCursor {
  private final List<Token> tokens;
  private int at;

  TokenCursor(List<Token> tokens) {
    this.tokens = tokens;
  }

  Token peek() {
    return tokens.get(at);
  }

  /** The token after the next one. */
  Token peekSecond() {
    return tokens.get(Math.min(at + 1, tokens.size() - 1));
  }

  Token next() {
    Token token = tokens.get(at);
    if (token.kind() != Kind.END) {
      at++;
    }
    return token;
  }

  /** Skips the next token if it is a given word, and returns whether it was. */
  boolean accept(String word) {
    boolean fits = peek().isWord(word);
    at += fits ? 1 : 0;
    return fits;
  }

  /** Skips the next token if it is of a given kind, and returns whether it was. */
  boolean accept(Kind kind) {
    boolean fits = peek().kind() == kind && kind != Kind.END;
    at += fits ? 1 : 0;
    return fits;
  }

  void expect(String word) throws InvalidRulesException {
    if (!accept(word)) {
      throw unexpected("'" + word + "'", List.of(word));
    }
  }

  void expect(Kind kind, String expected) throws InvalidRulesException {
    if (!accept(kind)) {
      throw unexpected(expected);
    }
  }

  Token quoted(String expected) throws InvalidRulesException {
    if (peek().kind() != Kind.QUOTED) {
      throw unexpected(expected + " in quotes");
    }
    return next();
  }

  Token word(String expected) throws InvalidRulesException {
    if (peek().kind() != Kind.WORD) {
      throw unexpected(expected);
    }
    return next();
  }

  /** Reads a whole number. */
  int number(int least, int most, String what) throws InvalidRulesException {
    String expected = what + " from " + least + " to " + most;
    Token token = peek();
    if (token.kind() != Kind.WORD || !token.text().matches("[0-9]{1,9}|[0-9]{10}")) {
      throw unexpected(expected);
    }
    long number = Long.parseLong(token.text());
    if (number < least || number > most) {
      throw unexpected(expected);
    }
    return (int) Long.parseLong(next().text());
  }

  /** Returns the fault that the next token is not what was expected. */
  InvalidRulesException unexpected(String expected) {
    return unexpected(expected, List.of());
  }

  /** The same, with a hint at one of the words that are possible here. */
  InvalidRulesException unexpected(String expected, List<String> words) {
    Token found = peek();
    String hint = found.kind() == Kind.WORD ? SimilarNames.hint(found.text(), words) : "";
    return fault(found, "found " + found.shown() + ", expected " + expected + hint);
  }

  static InvalidRulesException fault(Token token, String fault) {
    return new InvalidRulesException(token.source(), fault);
  }

  /** Fails if a list that is about to grow is as long as it may be. */
  void requireRoom(int size, int most, String what) throws InvalidRulesException {
    if (size >= most) {
      throw fault(peek(), "found more than " + most + ' ' + what);
    }
  }
}
