package org.nyala.core.access.rule;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Condition.Protection;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;

/**
 * Reads who a clause or a limit is for: conditions, all of which hold.
 *
 * <p>Confined to one thread.
 */
record ConditionParser(TokenCursor cursor, SchemaNames names, Declarations declarations) {
  private static final String DEFAULT_MEMBER = "member";
  private static final int MAXIMUM_LEVELS = 1000;
  private static final int MAXIMUM_BITS = 100_000;

  private static final List<String> WORDS =
      List.of(
          "all",
          "others",
          "anonymous",
          "users",
          "self",
          "ancestor",
          "descendant",
          "entry",
          "names",
          "subtree",
          "below",
          "directly",
          "group",
          "listed",
          "from",
          "over",
          "by");

  private static final String EXPECTED =
      "'anonymous', 'users', 'self', 'ancestor', 'descendant', 'entry', 'names', 'subtree', "
          + "'below', 'directly below', 'group', 'listed in', 'from', 'over', 'by'";

  /**
   * Reads conditions up to one of the words that end them.
   *
   * @param target the name of the rule's target, whose captures conditions may have; null if there
   *     is no target
   * @param ends the words that may follow
   */
  List<Condition> conditions(@Nullable DnPattern target, Set<String> ends)
      throws InvalidRulesException {
    List<Condition> conditions = new ArrayList<>();
    boolean isFirst = true;
    while (isFirst || !isEnd(ends)) {
      cursor.requireRoom(conditions.size(), RulesParser.MAXIMUM_CONDITIONS, "conditions");
      boolean isEverybody = isFirst && (cursor.accept("all") || cursor.accept("others"));
      if (!isEverybody) {
        conditions.add(condition(target, isFirst ? Set.of() : ends));
      }
      isFirst = false;
    }
    return conditions;
  }

  private boolean isEnd(Set<String> ends) {
    Token next = cursor.peek();
    return next.kind() == Token.Kind.LINE_END
        || next.kind() == Token.Kind.WORD && ends.contains(next.text());
  }

  private Condition condition(@Nullable DnPattern target, Set<String> ends)
      throws InvalidRulesException {
    Token first = cursor.peek();
    if (first.kind() != Token.Kind.WORD) {
      throw unexpected(ends);
    }
    Condition simple = simple(first);
    if (simple != null) {
      cursor.next();
      return simple;
    }
    return switch (first.text()) {
      case "ancestor" -> new Condition.Ancestor(levels());
      case "descendant" -> new Condition.Descendant(levels());
      case "listed" -> listedIn();
      case "from" -> from();
      case "over" -> over();
      case "by" -> by();
      default -> named(target, ends);
    };
  }

  private @Nullable Condition simple(Token token) {
    for (Condition.Plain plain : Condition.Plain.values()) {
      if (token.isWord(plain.words())) {
        return plain;
      }
    }
    People people = declarations.people(token.text());
    return people == null ? null : new Condition.InPeople(people);
  }

  /* Those that name an entry. */
  private Condition named(@Nullable DnPattern target, Set<String> ends)
      throws InvalidRulesException {
    if (cursor.accept("group")) {
      return new Condition.InGroup(group(target));
    }
    Place place = place(target);
    if (place == null) {
      throw unexpected(ends);
    }
    return new Condition.Named(place);
  }

  /* Reads a part of the tree; null if no word for one is next. */
  private @Nullable Place place(@Nullable DnPattern target) throws InvalidRulesException {
    if (cursor.accept("names")) {
      Token token = cursor.quoted("a name with {*}");
      DnPattern pattern = pattern(token, target);
      return names(token, pattern, pattern.hasAny(), "{*}");
    }
    Scope scope = scope(cursor);
    if (scope == null) {
      return null;
    }
    Token token = cursor.quoted("a name");
    DnPattern pattern = pattern(token, target);
    if (scope == Scope.ENTRY && pattern.hasAny()) {
      throw TokenCursor.fault(
          token, "found {*} in the name of one entry, expected 'names' before it");
    }
    return new Place(scope, pattern);
  }

  /** Returns the entries of many names; a fault if the pattern does not mean many. */
  static Place names(Token token, DnPattern pattern, boolean isMany, String missing)
      throws InvalidRulesException {
    if (!isMany) {
      throw TokenCursor.fault(token, "found a name without " + missing + ", which 'entry' is for");
    }
    return new Place(Scope.ENTRY, pattern);
  }

  private InvalidRulesException unexpected(Set<String> ends) {
    List<String> words = new ArrayList<>(WORDS);
    words.addAll(ends);
    declarations.people().forEach(people -> words.add(people.name()));
    String before = ends.isEmpty() ? "'all', 'others', " : "";
    String after = ends.isEmpty() ? "" : ", '" + String.join("', '", ends) + "'";
    return cursor.unexpected(
        "the name of declared people, or one of " + before + EXPECTED + after, words);
  }

  /** Reads the words of a scope; null if there are none. */
  static @Nullable Scope scope(TokenCursor cursor) throws InvalidRulesException {
    if (cursor.accept("directly")) {
      cursor.expect("below");
      return Scope.DIRECTLY_BELOW;
    }
    for (Scope scope : Scope.values()) {
      if (cursor.accept(scope.words())) {
        return scope;
      }
    }
    if (cursor.peek().isWord("children")) {
      throw cursor.unexpected(
          "'below' for all entries below a name, or 'directly below' for those of the next level");
    }
    return null;
  }

  /** Reads the members of named people, of which one is enough. */
  List<Condition> members() throws InvalidRulesException {
    List<Condition> members = new ArrayList<>();
    do {
      cursor.requireRoom(members.size(), RulesParser.MAXIMUM_ITEMS, "members");
      Token token = cursor.peek();
      People people = declarations.people(token.text());
      if (token.kind() == Token.Kind.WORD && people != null) {
        cursor.next();
        members.add(new Condition.InPeople(people));
      } else if (cursor.accept("group")) {
        members.add(new Condition.InGroup(group(null)));
      } else {
        Place place = place(null);
        if (place == null) {
          throw cursor.unexpected(
              "'group', 'entry', 'names', 'subtree', 'below', 'directly below' or people declared"
                  + " before",
              WORDS);
        }
        members.add(new Condition.Named(place));
      }
    } while (cursor.accept(Token.Kind.COMMA));
    return members;
  }

  private DnPattern pattern(Token token, @Nullable DnPattern target) throws InvalidRulesException {
    if (target == null) {
      return names.withoutCaptures(token);
    }
    DnPattern pattern = names.pattern(token);
    for (String capture : pattern.captures()) {
      checkCapture(token, capture, pattern.typeOf(capture), target.typeOf(capture));
    }
    return pattern;
  }

  /* Values that compare differently are not the same in both places. */
  private static void checkCapture(
      Token token, String capture, @Nullable AttributeType here, @Nullable AttributeType there)
      throws InvalidRulesException {
    if (here == null || there == null) {
      throw TokenCursor.fault(
          token, "found the capture {" + capture + "}, which the target of the rule has not");
    }
    if (here.equality() != there.equality()) {
      throw TokenCursor.fault(
          token,
          "found the capture {"
              + capture
              + "} as a value of '"
              + here
              + "', which compares differently from '"
              + there
              + "' in the target");
    }
  }

  private Group group(@Nullable DnPattern target) throws InvalidRulesException {
    Token quoted = cursor.quoted("a name");
    DnPattern name = pattern(quoted, target);
    if (name.hasAny()) {
      throw TokenCursor.fault(quoted, "found {*} in the name of a group, expected one name");
    }
    boolean isNested = cursor.accept("nested");
    Token token = cursor.peek();
    ObjectClass objectClass = null;
    if (cursor.accept("class")) {
      token = cursor.word("an object class");
      objectClass = names.objectClass(token, token.text());
    }
    Token member = new Token(Token.Kind.WORD, DEFAULT_MEMBER, token.source());
    if (cursor.accept("member")) {
      member = cursor.word("an attribute");
    }
    AttributeType type = names.attributeOfNames(member);
    if (objectClass != null && !Attributes.knows(objectClass, type)) {
      throw TokenCursor.fault(
          token, "found the class '" + objectClass + "', which has no attribute '" + type + "'");
    }
    return new Group(name, isNested, objectClass, type);
  }

  private int levels() throws InvalidRulesException {
    cursor.next();
    return cursor.number(1, MAXIMUM_LEVELS, "a number of levels");
  }

  private Condition listedIn() throws InvalidRulesException {
    cursor.next();
    cursor.expect("in");
    return new Condition.ListedIn(names.attributeOfNames(cursor.word("an attribute")));
  }

  private Condition from() throws InvalidRulesException {
    cursor.next();
    return new Condition.From(declarations.origin(cursor));
  }

  private Condition over() throws InvalidRulesException {
    cursor.next();
    Protection kind = Protection.ANY;
    for (Protection each : Protection.values()) {
      if (cursor.accept(each.word())) {
        kind = each;
      }
    }
    return new Condition.Over(kind, cursor.number(1, MAXIMUM_BITS, "a number of bits"));
  }

  private Condition by() throws InvalidRulesException {
    cursor.next();
    Token token = cursor.peek();
    SaslMechanism mechanism = SaslMechanism.of(token.text());
    if (mechanism == null && !token.isWord(Condition.By.SIMPLE)) {
      List<String> labels = new ArrayList<>(List.of(Condition.By.SIMPLE));
      for (SaslMechanism each : SaslMechanism.values()) {
        labels.add(each.label());
      }
      throw cursor.unexpected("one of " + String.join(", ", labels), labels);
    }
    cursor.next();
    return new Condition.By(mechanism == null ? Condition.By.SIMPLE : mechanism.label());
  }
}
