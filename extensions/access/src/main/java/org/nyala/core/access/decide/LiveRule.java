package org.nyala.core.access.decide;

import java.util.List;
import org.nyala.core.access.rule.Clause.Flow;

/**
 * The rest of a rule for some entries.
 *
 * <p>Immutable.
 *
 * @param rule the rule
 * @param checks the tests that an entry passes to be covered
 * @param clauses the clauses that may fit
 */
record LiveRule(CompiledRule rule, List<EntryCheck> checks, List<Part> clauses) {
  /**
   * The rest of a clause.
   *
   * @param number its number in the rule
   * @param isForOwnValue true if it fits only the value that is the user's own name
   * @param checks the tests that an entry passes for it to fit
   */
  record Part(int number, boolean isForOwnValue, List<EntryCheck> checks) {
    Part {
      checks = List.copyOf(checks);
    }

    boolean fitsAll() {
      return !isForOwnValue && checks.isEmpty();
    }
  }

  LiveRule {
    checks = List.copyOf(checks);
    clauses = List.copyOf(clauses);
  }

  /** Returns whether no later rule is ever asked. */
  boolean isLast() {
    return checks.isEmpty() && rule.coversAllOfEntry() && !breaks();
  }

  private boolean breaks() {
    for (Part clause : clauses) {
      if (rule.flow(clause.number()) == Flow.BREAK) {
        return true;
      }
    }
    return false;
  }
}
