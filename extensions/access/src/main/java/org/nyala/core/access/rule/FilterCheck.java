package org.nyala.core.access.rule;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.SubstringPiece;

/**
 * Checks that a filter could be true: that the schema has its names, and that their values can be
 * compared with those given. Its depth is bounded by the lexer.
 *
 * <p>Confined to one thread.
 */
final class FilterCheck {
  /** The words before the reason in messages of {@link FilterParser}. */
  private static final String FAULT = "is not a filter: ";

  private final SchemaNames names;
  private final Token token;

  private FilterCheck(SchemaNames names, Token token) {
    this.names = names;
    this.token = token;
  }

  static Where where(SchemaNames names, Token token) throws InvalidRulesException {
    if (token.text().length() > RulesParser.MAXIMUM_FILTER_CHARS) {
      throw TokenCursor.fault(
          token, "found a filter of more than " + RulesParser.MAXIMUM_FILTER_CHARS + " characters");
    }
    FilterNode filter;
    try {
      filter = FilterParser.parse(token.text());
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      String reason = message.substring(message.lastIndexOf(FAULT) + FAULT.length());
      throw TokenCursor.fault(token, "found " + token.shown() + ", not a filter: " + reason);
    }
    new FilterCheck(names, token).check(filter);
    return new Where(token.text());
  }

  private void check(FilterNode filter) throws InvalidRulesException {
    switch (filter) {
      case FilterNode.And and -> checkAll(and.nodes());
      case FilterNode.Or or -> checkAll(or.nodes());
      case FilterNode.Not not -> check(not.node());
      case FilterNode.Present item -> type(item.attribute());
      case FilterNode.Equality item -> equality(item.attribute(), item.value());
      case FilterNode.Approximate item -> equality(item.attribute(), item.value());
      case FilterNode.GreaterOrEqual item -> ordering(item.attribute(), item.value());
      case FilterNode.LessOrEqual item -> ordering(item.attribute(), item.value());
      case FilterNode.Substrings item -> substrings(item);
      case FilterNode.Extensible item -> extensible(item);
    }
  }

  private void checkAll(List<FilterNode> filters) throws InvalidRulesException {
    for (FilterNode filter : filters) {
      check(filter);
    }
  }

  private AttributeType type(String attribute) throws InvalidRulesException {
    return names.description(token, attribute).type();
  }

  private void equality(String attribute, byte[] value) throws InvalidRulesException {
    require(SchemaNames.isComparable(type(attribute).equality(), value), attribute);
  }

  private void ordering(String attribute, byte[] value) throws InvalidRulesException {
    require(SchemaNames.isComparable(type(attribute).ordering(), value), attribute);
  }

  private void substrings(FilterNode.Substrings item) throws InvalidRulesException {
    MatchingRule rule = type(item.attribute()).substrings();
    boolean fits =
        rule != null
            && fits(rule, SubstringPiece.INITIAL, item.initial())
            && fits(rule, SubstringPiece.FINAL, item.last());
    for (byte[] piece : item.any()) {
      fits = fits && fits(rule, SubstringPiece.ANY, piece);
    }
    require(fits, item.attribute());
  }

  private static boolean fits(
      @Nullable MatchingRule rule, SubstringPiece kind, byte @Nullable [] piece) {
    return piece == null
        || rule != null
            && rule.assertionNormalizer()
                .normalizeSubstring(kind, piece, 0, piece.length, new ByteAppender(64));
  }

  private void extensible(FilterNode.Extensible item) throws InvalidRulesException {
    AttributeType type = item.attribute() == null ? null : type(item.attribute());
    MatchingRule rule;
    if (item.rule() != null) {
      rule = names.matchingRule(token, item.rule());
    } else {
      rule = type == null ? null : type.equality();
    }
    String shown = item.attribute() == null ? String.valueOf(item.rule()) : item.attribute();
    require(SchemaNames.isComparable(rule, item.value()), shown);
  }

  private void require(boolean fits, String attribute) throws InvalidRulesException {
    if (!fits) {
      throw TokenCursor.fault(
          token,
          "found "
              + token.shown()
              + ", which is never true: '"
              + Token.shown(attribute)
              + "' cannot be compared so");
    }
  }
}
