package org.nyala.core.access.decide;

import java.util.List;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Group;
import org.nyala.core.dn.Dn;

/**
 * The rest of a rule when the client is known.
 *
 * <p>Immutable.
 *
 * @param rule the rule
 * @param clauses the clauses that may fit; none of a rule that gives nothing
 */
record ClientRule(CompiledRule rule, List<Part> clauses) {
  /**
   * A condition that remains of a clause when the client is known: about the entry asked for.
   *
   * <p>Immutable.
   */
  sealed interface Residual {
    /** The entry has this name. */
    record Named(Dn name) implements Residual {}

    /** The user's name is that of the entry so many levels above, at least 1. */
    record Below(int levels) implements Residual {}

    /** A capture of the rule's target has this value, in its normal form. */
    record Captured(String capture, byte[] value) implements Residual {}

    /** The user is a member of a group whose name has captures. */
    record InGroup(Group group) implements Residual {}

    /** The entry matches the filter of this number. */
    record Matching(int filter) implements Residual {}
  }

  /**
   * The rest of a clause.
   *
   * @param number its number in the rule
   * @param isForOwnValue true if it fits only the value that is the user's own name
   * @param residuals the conditions that remain
   */
  record Part(int number, boolean isForOwnValue, List<Residual> residuals) {}

  ClientRule {
    clauses = List.copyOf(clauses);
  }

  /** Returns whether nothing that it covers is left to later rules. */
  boolean isFinal() {
    for (Part clause : clauses) {
      if (rule.flow(clause.number()) == Flow.BREAK) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether it depends on entries by which groups its client is in. */
  boolean asksForGroups() {
    return clauses.stream()
        .flatMap(clause -> clause.residuals().stream())
        .anyMatch(residual -> residual instanceof Residual.InGroup);
  }

  /** Returns whether no later rule is ever asked. */
  boolean isLast() {
    return rule.place() == null
        && rule.delegated() == null
        && rule.filter() == CompiledRule.NO_FILTER
        && rule.coversAllOfEntry()
        && isFinal();
  }
}
