package org.nyala.core.access.rule;

import java.util.List;

/**
 * A rule: what it is about, and clauses that say who may do what to it.
 *
 * <p>Immutable.
 *
 * @param target the entries, attributes and values that it covers
 * @param clauses the clauses in order, at least one
 * @param source the place of the statement
 */
public record Rule(Target target, List<Clause> clauses, Source source) implements Step {
  /**
   * Copies the list.
   *
   * @throws IllegalArgumentException if there is no clause, or one uses a capture that the target
   *     has not
   */
  public Rule {
    clauses = List.copyOf(clauses);
    if (clauses.isEmpty()) {
      throw new IllegalArgumentException("a rule without a clause");
    }
    List<String> captures = target.place().name().captures();
    for (Clause clause : clauses) {
      for (Condition condition : clause.conditions()) {
        DnPattern pattern = condition.pattern();
        if (pattern != null && !captures.containsAll(pattern.captures())) {
          throw new IllegalArgumentException("a capture of " + pattern + " is not in the target");
        }
      }
    }
  }
}
