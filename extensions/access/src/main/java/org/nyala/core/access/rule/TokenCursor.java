package org.nyala.core.access.rule;

import java.util.List;
import org.nyala.core.access.rule.Token.Kind;

/**
 * The tokens of a file, read one after the other, and the messages about those that do not fit.
 *
 * <p>Confined to one thread.
 */
final class TokenCursor {
  private final RulesLexer lexer;
  private Token token;

  TokenCursor(RulesLexer lexer) throws InvalidRulesException {
    this.lexer = lexer;
    this.token = lexer.next();
  }

  Token peek() {
    return token;
  }

  Token next() throws InvalidRulesException {
    Token before = token;
    token = lexer.next();
    return before;
  }

  /** Skips the next token if it is a given word, and returns whether it was. */
  boolean accept(String word) throws InvalidRulesException {
    return skipIf(token.isWord(word));
  }

  /** Skips the next token if it is of a given kind, and returns whether it was. */
  boolean accept(Kind kind) throws InvalidRulesException {
    return skipIf(token.kind() == kind);
  }

  private boolean skipIf(boolean fits) throws InvalidRulesException {
    if (fits) {
      next();
    }
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
    boolean isNumber = token.kind() == Kind.WORD && token.text().matches("[0-9]{1,10}");
    long number = isNumber ? Long.parseLong(token.text()) : -1;
    if (number < least || number > most) {
      throw unexpected(expected);
    }
    next();
    return (int) number;
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
