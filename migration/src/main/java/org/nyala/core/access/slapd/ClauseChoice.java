package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.rights.Right;

/**
 * Chooses the clauses for a rule whose target can be said, so that nobody gets more than from
 * slapd's. A clause whose clients cannot be said is said for those of them who can, or left out, if
 * nobody could get more by what follows; else all others who might be meant get nothing.
 *
 * <p>Confined to one thread.
 */
final class ClauseChoice {
  private final SlapdRule rule;
  private final Ceiling ceiling;
  private final Consumer<String> unsaid;
  private final List<Clause> chosen = new ArrayList<>();

  /**
   * Starts with a rule.
   *
   * @param ceiling what may be left by rules before, and given by rules after
   * @param unsaid receives what is not said, and why
   */
  ClauseChoice(SlapdRule rule, Ceiling ceiling, Consumer<String> unsaid) {
    this.rule = rule;
    this.ceiling = ceiling;
    this.unsaid = unsaid;
  }

  /** Returns the clauses, at least one. */
  List<Clause> clauses() {
    for (int i = 0; i < rule.clauses().size() && !isDecided(); i++) {
      SlapdRule.ByClause clause = rule.clauses().get(i);
      if (!clause.subjects().isNobody()) {
        choose(clause, i);
      }
    }
    // Without a fitting clause after one that continues, slapd gives nothing.
    boolean continues = chosen.stream().anyMatch(clause -> clause.flow() == Flow.CONTINUE);
    if (chosen.isEmpty() || continues && !isDecided()) {
      add(List.of(), SlapdRule.ByClause.NOTHING, Flow.STOP);
    }
    return chosen;
  }

  private boolean isDecided() {
    return !chosen.isEmpty()
        && chosen.getLast().conditions().isEmpty()
        && chosen.getLast().flow() != Flow.CONTINUE;
  }

  private void add(List<Condition> who, Grant grant, Flow flow) {
    chosen.add(new Clause(who, grant, flow, rule.directive().source()));
  }

  private void choose(SlapdRule.ByClause clause, int index) {
    Subjects subjects = clause.subjects();
    if (subjects.isExact()) {
      add(subjects.wide(), clause.grant(), clause.flow());
    } else if (isAtLeastWhatFollows(clause, index)) {
      if (subjects.narrow() == null) {
        report(clause, "left out");
      } else {
        report(clause, "said for fewer users", subjects.narrowings());
        add(subjects.narrow(), clause.grant(), clause.flow());
      }
    } else if (clause.isDenial() || takesAway(clause)) {
      report(clause, "taken for all who might be meant");
      add(subjects.wide(), clause.grant(), clause.flow());
    } else {
      // Rights of a clause that continues would be taken by the next one, which names all.
      List<Condition> kept = clause.flow() == Flow.CONTINUE ? null : subjects.narrow();
      String who = kept == null ? "all" : "others";
      report(clause, who + " who might be meant get nothing, as what follows could give more");
      if (kept != null) {
        add(kept, clause.grant(), clause.flow());
      }
      add(subjects.wide(), SlapdRule.ByClause.NOTHING, Flow.STOP);
    }
  }

  private void report(SlapdRule.ByClause clause, String consequence) {
    report(clause, consequence, clause.subjects().reasons());
  }

  private void report(SlapdRule.ByClause clause, String consequence, List<String> reasons) {
    for (String reason : reasons) {
      unsaid.accept("'" + clause.text() + "' " + consequence + ": " + reason);
    }
  }

  private static boolean takesAway(SlapdRule.ByClause clause) {
    return clause.flow() == Flow.CONTINUE && clause.grant().mode() == Mode.REMOVE;
  }

  /* Returns true if those who fit could not get more by not fitting. */
  private boolean isAtLeastWhatFollows(SlapdRule.ByClause clause, int index) {
    Set<Right> found = found(index);
    Set<Right> rights = clause.grant().rights();
    Set<Right> following = following(index + 1);
    return switch (clause.flow()) {
      case STOP ->
          switch (clause.grant().mode()) {
            case SET -> rights.containsAll(Ceiling.union(following, found));
            case ADD -> rights.containsAll(following);
            case REMOVE -> following.isEmpty() && found.isEmpty();
          };
      case CONTINUE ->
          switch (clause.grant().mode()) {
            case SET -> rights.containsAll(found);
            case ADD -> true;
            case REMOVE -> found.stream().noneMatch(rights::contains);
          };
      case BREAK -> following.isEmpty() && found.isEmpty();
    };
  }

  /** Returns the most that may have been found before a clause. */
  private Set<Right> found(int index) {
    Set<Right> found = EnumSet.noneOf(Right.class);
    found.addAll(ceiling.before());
    for (SlapdRule.ByClause before : rule.clauses().subList(0, index)) {
      if (before.flow() == Flow.CONTINUE) {
        found.addAll(before.given());
      }
    }
    return found;
  }

  /** Returns the most that clauses from an index on may give, and the rules that they lead to. */
  private Set<Right> following(int index) {
    Set<Right> following = EnumSet.noneOf(Right.class);
    following.addAll(rule.givenFrom(index));
    if (rule.has(Flow.BREAK, index)) {
      following.addAll(ceiling.after());
    }
    return following;
  }
}
