package org.nyala.core.access.rule;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition.Plain;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.rights.Right;

/**
 * Reads the clauses of a rule.
 *
 * <p>Confined to one thread.
 */
final class ClauseParser {
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

  private final TokenCursor cursor;
  private final ConditionParser conditions;

  /**
   * The way in which rights change, and whether words bring those that they are useless without.
   */
  private record Verb(Mode mode, boolean implies) {}

  /** The rights of a clause: for every value, and those for the user's own name as value. */
  private record Words(Set<Right> ofAll, Set<Right> ofOwn, boolean hasAll, boolean hasOwn) {}

  ClauseParser(TokenCursor cursor, ConditionParser conditions) {
    this.cursor = cursor;
    this.conditions = conditions;
  }

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
