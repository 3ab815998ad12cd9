package org.nyala.core.access.rule;

import java.util.List;

/**
 * A clause of a rule: if all its conditions hold, its grant changes the rights found so far.
 *
 * <p>Immutable.
 *
 * @param conditions the conditions; none for everybody
 * @param grant the change of the rights
 * @param flow what is asked next
 * @param source the place of the clause
 */
public record Clause(List<Condition> conditions, Grant grant, Flow flow, Source source) {
  /** The question that follows a clause that fits. */
  public enum Flow {
    /** None: the rights are final. */
    STOP,
    /** The next clause of the rule. */
    CONTINUE,
    /** The next rule that covers what is asked for. */
    BREAK
  }

  public Clause {
    conditions = List.copyOf(conditions);
  }
}
