package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.rights.Right;

/**
 * Chooses the clauses for a rule that covers more than slapd's, so that nobody gets more: clients
 * whom slapd's rule gives at least what later ones could are let pass to those, others get nothing.
 *
 * <p>Confined to one thread.
 */
final class WideChoice {
  private final SlapdRule rule;
  private final Ceiling ceiling;
  private final List<Clause> chosen = new ArrayList<>();

  /* True if a clause that continues may have left less than was found before it. */
  private boolean isLowered;

  /**
   * Starts with a rule.
   *
   * @param ceiling what may be left by rules before, and given by rules after
   */
  WideChoice(SlapdRule rule, Ceiling ceiling) {
    this.rule = rule;
    this.ceiling = ceiling;
  }

  /** Returns the clauses; none if everybody is let pass, so that no rule is needed. */
  List<Clause> clauses() {
    for (SlapdRule.ByClause clause : rule.clauses()) {
      if (!isDecided() && !clause.subjects().isNobody()) {
        choose(clause);
      }
    }
    if (!isDecided()) {
      add(List.of(), false);
    }
    boolean letsAllPass = chosen.stream().allMatch(clause -> clause.flow() == Flow.BREAK);
    return letsAllPass ? List.of() : chosen;
  }

  private boolean isDecided() {
    return !chosen.isEmpty() && chosen.getLast().conditions().isEmpty();
  }

  private void choose(SlapdRule.ByClause clause) {
    if (clause.flow() == Flow.CONTINUE) {
      isLowered |= clause.grant().mode() != Mode.ADD;
      return;
    }
    boolean passes = passes(clause);
    Subjects subjects = clause.subjects();
    if (!passes) {
      add(subjects.wide(), false);
    } else if (subjects.narrow() != null) {
      add(subjects.narrow(), true);
    }
  }

  private void add(List<Condition> who, boolean passes) {
    Grant grant = passes ? Grant.UNCHANGED : SlapdRule.ByClause.NOTHING;
    chosen.add(new Clause(who, grant, passes ? Flow.BREAK : Flow.STOP, rule.directive().source()));
  }

  private boolean passes(SlapdRule.ByClause clause) {
    Set<Right> rights = clause.grant().rights();
    return switch (clause.grant().mode()) {
      case SET ->
          clause.flow() == Flow.STOP
              ? rights.containsAll(ceiling.all())
              : rights.containsAll(ceiling.before());
      case ADD ->
          !isLowered && (clause.flow() == Flow.BREAK || rights.containsAll(ceiling.after()));
      case REMOVE -> false;
    };
  }
}
