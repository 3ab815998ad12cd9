package org.nyala.core.access.rule;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition.Plain;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.access.rule.Token.Kind;
import org.nyala.core.rights.Limit;
import org.nyala.core.rights.Limit.Bound;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.Schema;

/**
 * Reads a file of access rules; the manual has the grammar (src-docs/access-rules.adoc). Nothing in
 * it nests but filters, so that the parser works without recursion, in time linear in the length.
 *
 * <p>Confined to one thread.
 */
public final class RulesParser {
  /** The maximum length of a file in bytes. */
  public static final int MAXIMUM_BYTES = 4 << 20;

  /** The maximum number of rules and delegations, and of limits. */
  public static final int MAXIMUM_STATEMENTS = 10_000;

  /** The maximum number of zones and people. */
  public static final int MAXIMUM_NAMES = 1_000;

  /** The maximum number of clauses of a rule. */
  public static final int MAXIMUM_CLAUSES = 500;

  /** The maximum number of conditions of a clause. */
  public static final int MAXIMUM_CONDITIONS = 16;

  /** The maximum number of networks, members or attributes of a list. */
  public static final int MAXIMUM_ITEMS = 1_000;

  /** The maximum number of parentheses inside each other in a filter. */
  public static final int MAXIMUM_FILTER_DEPTH = 32;

  /** The maximum length of a filter in characters. */
  public static final int MAXIMUM_FILTER_CHARS = 8_192;

  private static final List<String> STATEMENTS =
      List.of("zone", "people", "to", "delegate", "limit");

  private static final String STATEMENT_EXPECTED =
      "one of 'zone', 'people', 'to', 'delegate', 'limit'";

  private final TokenCursor cursor;
  private final SchemaNames names;
  private final Declarations declarations;
  private final ConditionParser conditions;
  private final TargetParser targets;
  private final ClauseParser clauses;
  private final List<Step> steps = new ArrayList<>();
  private final List<LimitStatement> limits = new ArrayList<>();

  private RulesParser(TokenCursor cursor, SchemaNames names, Declarations declarations) {
    this.declarations = declarations;
    this.cursor = cursor;
    this.names = names;
    this.conditions = new ConditionParser(cursor, names, declarations);
    this.targets = new TargetParser(cursor, names);
    this.clauses = new ClauseParser(cursor, conditions);
  }

  /**
   * Reads rules.
   *
   * @param file the name by which messages and sources call the text
   * @param utf8 the text, of at most {@link #MAXIMUM_BYTES}; not written to
   * @param schema the schema of the names in it
   * @throws InvalidRulesException for the first fault, with its line, what was found there and what
   *     was expected
   */
  public static AccessRules parse(String file, byte[] utf8, Schema schema)
      throws InvalidRulesException {
    TokenCursor cursor = new TokenCursor(new RulesLexer(file, utf8));
    return new RulesParser(cursor, new SchemaNames(schema), new Declarations()).file();
  }

  /**
   * A text of rules that stand elsewhere than in the file.
   *
   * @param source the name by which messages and sources call it
   * @param text the text
   */
  public record Passage(String source, String text) {}

  /**
   * Reads rules that stand elsewhere than in the file, by its zones and people: nothing but rules.
   *
   * @param passages the texts, each with at least one rule
   * @param schema the schema of the names in them
   * @param file the rules of the file
   * @param maximum the maximum number of rules
   * @throws InvalidRulesException for the first fault
   */
  public static List<Rule> parseRules(
      List<Passage> passages, Schema schema, AccessRules file, int maximum)
      throws InvalidRulesException {
    Declarations declared = new Declarations();
    declared.addAll(file);
    List<Rule> rules = new ArrayList<>();
    for (Passage passage : passages) {
      byte[] utf8 = passage.text().getBytes(StandardCharsets.UTF_8);
      TokenCursor cursor = new TokenCursor(new RulesLexer(passage.source(), utf8));
      new RulesParser(cursor, new SchemaNames(schema), declared).rules(rules, maximum);
    }
    return rules;
  }

  private void rules(List<Rule> rules, int maximum) throws InvalidRulesException {
    int before = rules.size();
    while (cursor.peek().kind() != Kind.END) {
      if (!cursor.accept(Kind.LINE_END)) {
        Source source = cursor.peek().source();
        cursor.requireRoom(rules.size(), maximum, "rules");
        cursor.expect("to");
        rules.add(rule(source));
      }
    }
    if (rules.size() == before) {
      throw cursor.unexpected("'to'");
    }
  }

  private AccessRules file() throws InvalidRulesException {
    while (cursor.peek().kind() != Kind.END) {
      if (!cursor.accept(Kind.LINE_END)) {
        statement();
      }
    }
    return new AccessRules(declarations.zones(), declarations.people(), steps, limits);
  }

  private void statement() throws InvalidRulesException {
    Token first = cursor.peek();
    if (first.kind() != Kind.WORD || !STATEMENTS.contains(first.text())) {
      throw cursor.unexpected(STATEMENT_EXPECTED, STATEMENTS);
    }
    cursor.requireRoom(
        Math.max(steps.size(), limits.size()), MAXIMUM_STATEMENTS, "rules or limits");
    cursor.next();
    switch (first.text()) {
      case "zone" -> zone(first.source());
      case "people" -> people(first.source());
      case "to" -> steps.add(rule(first.source()));
      case "delegate" -> delegation(first.source());
      default -> limit(first.source());
    }
  }

  private void endLine(String otherwise) throws InvalidRulesException {
    cursor.expect(Kind.LINE_END, otherwise + "the end of the line");
  }

  private void zone(Source source) throws InvalidRulesException {
    String name = declarations.newName(cursor);
    List<Origin> origins = new ArrayList<>();
    do {
      cursor.requireRoom(origins.size(), MAXIMUM_ITEMS, "networks");
      origins.add(declarations.origin(cursor));
    } while (cursor.accept(Kind.COMMA));
    endLine("',' or ");
    declarations.add(new Zone(name, origins, source));
  }

  private void people(Source source) throws InvalidRulesException {
    String name = declarations.newName(cursor);
    List<Condition> members = conditions.members();
    endLine("',' or ");
    declarations.add(new People(name, members, source));
  }

  private Rule rule(Source source) throws InvalidRulesException {
    Target target = targets.target();
    endLine("");
    List<Clause> all = new ArrayList<>();
    while (!isEndOfRule()) {
      cursor.requireRoom(all.size(), MAXIMUM_CLAUSES, "clauses");
      all.addAll(clauses.clauses(target.place().name()));
      endLine("',', 'and' or ");
    }
    if (all.isEmpty()) {
      throw cursor.unexpected("a clause such as 'users may read'");
    }
    return new Rule(target, all, source);
  }

  private boolean isEndOfRule() {
    Token next = cursor.peek();
    return next.kind() == Kind.END || next.kind() == Kind.WORD && STATEMENTS.contains(next.text());
  }

  private void delegation(Source source) throws InvalidRulesException {
    cursor.expect("subtree");
    DnPattern top = names.fixed(cursor.quoted("a name"));
    cursor.expect("to");
    cursor.expect("directory");
    endLine("");
    steps.add(new Delegation(top.dn(), source));
  }

  private void limit(Source source) throws InvalidRulesException {
    Set<String> words = new LinkedHashSet<>();
    for (Bound bound : Bound.values()) {
      words.add(bound.word());
    }
    Token first = cursor.peek();
    List<Condition> who = conditions.conditions(null, words);
    for (Condition condition : who) {
      if (condition.isAboutTarget()) {
        throw TokenCursor.fault(
            first, "found a condition about an entry, expected conditions about the user alone");
      }
    }
    limits.add(new LimitStatement(who, bounds(words), source));
  }

  private Map<Bound, Integer> bounds(Set<String> words) throws InvalidRulesException {
    EnumMap<Bound, Integer> bounds = new EnumMap<>(Bound.class);
    do {
      Token token = cursor.peek();
      Bound bound = bound(token);
      if (bound == null || bounds.containsKey(bound)) {
        String expected = "one of '" + String.join("', '", words) + "', each once";
        throw cursor.unexpected(expected, List.copyOf(words));
      }
      cursor.next();
      boolean isUnlimited = cursor.accept("unlimited");
      bounds.put(
          bound,
          isUnlimited
              ? Limit.UNLIMITED
              : cursor.number(1, Limit.UNLIMITED - 1, "'unlimited' or a number"));
    } while (cursor.accept(Kind.COMMA));
    endLine("',' or ");
    return bounds;
  }

  private static @Nullable Bound bound(Token token) {
    for (Bound bound : Bound.values()) {
      if (token.isWord(bound.word())) {
        return bound;
      }
    }
    return null;
  }

  /**
   * Reads the clauses of a rule.
   *
   * <p>Confined to one thread.
   */
  private record ClauseParser(TokenCursor cursor, ConditionParser conditions) {
    private static final Set<String> VERBS =
        new LinkedHashSet<>(List.of("may", "plus", "minus", "continue", "break"));

    private static final String VERBS_EXPECTED =
        "another condition, or one of 'may', 'plus', 'minus', 'continue', 'break'";

    private static final String RIGHTS_EXPECTED =
        "one of 'nothing', 'disclose', 'authenticate', 'compare', 'search', 'read', 'add', "
            + "'remove', 'increment', 'write', 'manage', 'proxy'";

    private static final List<String> RIGHTS =
        List.of(
            "nothing",
            "disclose",
            "authenticate",
            "compare",
            "search",
            "read",
            "add",
            "remove",
            "increment",
            "write",
            "manage",
            "proxy");

    /**
     * The way in which rights change, and whether words bring those that they are useless without.
     */
    private record Verb(Mode mode, boolean implies) {}

    /** The rights of a clause: for every value, and those for the user's own name as value. */
    private record Words(Set<Right> ofAll, Set<Right> ofOwn, boolean hasAll, boolean hasOwn) {}

    /**
     * Reads one clause up to the end of its line.
     *
     * @return two clauses if some of the rights are for the user's own name as value and others not
     */
    List<Clause> clauses(DnPattern target) throws InvalidRulesException {
      Source source = cursor.peek().source();
      List<Condition> who = conditions.conditions(target, VERBS);
      if (cursor.peek().kind() == Token.Kind.LINE_END) {
        throw cursor.unexpected(VERBS_EXPECTED);
      }
      if (cursor.peek().isWord("continue") || cursor.peek().isWord("break")) {
        return List.of(new Clause(who, Grant.UNCHANGED, flow(), source));
      }
      Verb verb = verb();
      Words words = words(verb.implies());
      Flow flow = cursor.accept("and") ? flow() : Flow.STOP;
      return clauses(new Clause(who, new Grant(verb.mode(), words.ofAll()), flow, source), words);
    }

    private Verb verb() throws InvalidRulesException {
      if (cursor.accept("may")) {
        if (cursor.accept("only")) {
          return new Verb(Mode.SET, false);
        }
        return new Verb(cursor.accept("also") ? Mode.ADD : Mode.SET, true);
      }
      if (cursor.accept("plus")) {
        return new Verb(Mode.ADD, false);
      }
      cursor.expect("minus");
      return new Verb(Mode.REMOVE, false);
    }

    private Flow flow() throws InvalidRulesException {
      if (cursor.accept("continue")) {
        return Flow.CONTINUE;
      }
      if (cursor.accept("break")) {
        return Flow.BREAK;
      }
      throw cursor.unexpected("'continue' or 'break'", List.of("continue", "break"));
    }

    private Words words(boolean implies) throws InvalidRulesException {
      EnumSet<Right> ofAll = EnumSet.noneOf(Right.class);
      EnumSet<Right> ofOwn = EnumSet.noneOf(Right.class);
      boolean hasAll = false;
      boolean hasOwn = false;
      do {
        Set<Right> rights = word(implies);
        boolean isOwn = cursor.accept("value");
        if (isOwn) {
          cursor.expect("self");
        }
        (isOwn ? ofOwn : ofAll).addAll(rights);
        hasOwn |= isOwn;
        hasAll |= !isOwn;
      } while (cursor.accept(Token.Kind.COMMA));
      return new Words(ofAll, ofOwn, hasAll, hasOwn);
    }

    private Set<Right> word(boolean implies) throws InvalidRulesException {
      Token token = cursor.peek();
      Right right = Right.of(token.text());
      Set<Right> named;
      if (token.isWord("write")) {
        named = Right.WRITE;
      } else if (token.isWord("nothing")) {
        named = Set.of();
      } else if (token.kind() == Token.Kind.WORD && right != null) {
        named = EnumSet.of(right);
      } else {
        throw cursor.unexpected(RIGHTS_EXPECTED, RIGHTS);
      }
      cursor.next();
      EnumSet<Right> rights = EnumSet.noneOf(Right.class);
      for (Right each : named) {
        rights.addAll(implies ? each.withImplied() : EnumSet.of(each));
      }
      return rights;
    }

    /*
     * The clause for the user's own name comes first, as it decides for that value; unless the
     * clauses after it count too: then the one with more rights has to be the later one.
     */
    private static List<Clause> clauses(Clause ofAll, Words words) {
      if (!words.hasOwn()) {
        return List.of(ofAll);
      }
      List<Condition> who = new ArrayList<>(ofAll.conditions());
      who.add(Plain.OWN_VALUE);
      EnumSet<Right> rights = EnumSet.noneOf(Right.class);
      rights.addAll(words.ofAll());
      rights.addAll(words.ofOwn());
      Grant grant = new Grant(ofAll.grant().mode(), rights);
      Clause ofOwn = new Clause(who, grant, ofAll.flow(), ofAll.source());
      if (!words.hasAll()) {
        return List.of(ofOwn);
      }
      return ofAll.flow() == Flow.CONTINUE ? List.of(ofAll, ofOwn) : List.of(ofOwn, ofAll);
    }
  }
}
