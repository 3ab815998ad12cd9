package org.nyala.core.access.rule;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Attributes.Item;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.SubstringPiece;

/**
 * Reads what a rule is about.
 *
 * <p>Confined to one thread.
 */
record TargetParser(TokenCursor cursor, SchemaNames names) {
  private static final List<String> WORDS =
      List.of("all", "entry", "names", "subtree", "below", "directly", "where", "attributes");

  private static final String EXPECTED =
      "one of 'all', 'entry', 'names', 'subtree', 'below', 'directly below', 'where', 'attributes'";

  /** Reads a target up to the end of its line. */
  Target target() throws InvalidRulesException {
    Token first = cursor.peek();
    Place place = place();
    Where where = where();
    Attributes attributes = attributes();
    TargetValue value = value(attributes);
    if (cursor.peek() == first) {
      throw cursor.unexpected(EXPECTED, WORDS);
    }
    if (cursor.peek().kind() != Token.Kind.LINE_END) {
      throw cursor.unexpected(following(first, where, attributes, value), WORDS);
    }
    return new Target(place, where, attributes, value);
  }

  private static String following(
      Token first, @Nullable Where where, Attributes attributes, @Nullable TargetValue value) {
    String end = "the end of the line, and then clauses";
    if (value != null || !attributes.items().isEmpty()) {
      return value == null ? "',', 'value' or " + end : end;
    }
    boolean isPlace = where == null && !first.isWord("attributes");
    return (isPlace ? "'where', 'attributes' or " : "'attributes' or ") + end;
  }

  private Place place() throws InvalidRulesException {
    if (cursor.accept("all")) {
      return Place.EVERYWHERE;
    }
    if (cursor.accept("names")) {
      Token token = cursor.quoted("a name with captures such as {u}");
      DnPattern pattern = names.pattern(token);
      return ConditionParser.names(token, pattern, !pattern.isFixed(), "captures such as {u}");
    }
    Scope scope = ConditionParser.scope(cursor);
    return scope == null ? Place.EVERYWHERE : new Place(scope, nameOf(scope));
  }

  private DnPattern nameOf(Scope scope) throws InvalidRulesException {
    Token token = cursor.quoted("a name");
    DnPattern pattern = names.pattern(token);
    if (scope == Scope.ENTRY && !pattern.isFixed()) {
      throw TokenCursor.fault(
          token, "found captures or {*} in the name of one entry, expected 'names' before it");
    }
    return pattern;
  }

  private @Nullable Where where() throws InvalidRulesException {
    if (!cursor.accept("where")) {
      return null;
    }
    Token token = cursor.peek();
    cursor.expect(Token.Kind.FILTER, "a filter in parentheses");
    return FilterCheck.where(names, token);
  }

  private Attributes attributes() throws InvalidRulesException {
    if (!cursor.accept("attributes")) {
      return Attributes.ALL;
    }
    boolean isAllBut = cursor.accept("all");
    if (isAllBut) {
      cursor.expect("but");
    }
    List<Item> items = new ArrayList<>();
    do {
      cursor.requireRoom(items.size(), RulesParser.MAXIMUM_ITEMS, "attributes");
      items.add(item());
    } while (cursor.accept(Token.Kind.COMMA));
    return new Attributes(isAllBut, items);
  }

  private Item item() throws InvalidRulesException {
    Token token = cursor.word("an attribute, 'entry', 'children' or a class such as @person");
    for (Pseudo pseudo : Pseudo.values()) {
      if (token.isWord(pseudo.word())) {
        return pseudo;
      }
    }
    return token.text().startsWith("@")
        ? new Item.OfClass(names.objectClass(token, token.text().substring(1)))
        : new Item.Described(names.description(token, token.text()));
  }

  private @Nullable TargetValue value(Attributes attributes) throws InvalidRulesException {
    Token start = cursor.peek();
    if (!cursor.accept("value")) {
      return null;
    }
    boolean isOne = !attributes.isAllBut() && attributes.items().size() == 1;
    if (!isOne || !(attributes.items().getFirst() instanceof Item.Described item)) {
      throw TokenCursor.fault(start, "found 'value', which goes with exactly one attribute");
    }
    Scope scope = ConditionParser.scope(cursor);
    if (scope != null) {
      if (!SchemaNames.hasNames(item.description().type())) {
        throw TokenCursor.fault(
            start, "found a place as value of '" + item.description() + "', which has no names");
      }
      return new TargetValue.Named(new Place(scope, names.fixed(cursor.quoted("a name"))));
    }
    Token token =
        cursor.quoted("a value, or 'entry', 'subtree', 'below' or 'directly below' and a name,");
    if (!SchemaNames.isComparable(item.description().type(), token.text())) {
      throw TokenCursor.fault(
          token,
          "found " + token.shown() + ", which no value of '" + item.description() + "' equals");
    }
    return new TargetValue.Exact(token.text());
  }

  /**
   * Checks that a filter could be true: that the schema has its names, and that their values can be
   * compared with those given. Its depth is bounded by the lexer.
   *
   * <p>Confined to one thread.
   */
  private record FilterCheck(SchemaNames names, Token token) {
    /** The words before the reason in messages of {@link FilterParser}. */
    private static final String FAULT = "is not a filter: ";

    static Where where(SchemaNames names, Token token) throws InvalidRulesException {
      if (token.text().length() > RulesParser.MAXIMUM_FILTER_CHARS) {
        throw TokenCursor.fault(
            token,
            "found a filter of more than " + RulesParser.MAXIMUM_FILTER_CHARS + " characters");
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
}
