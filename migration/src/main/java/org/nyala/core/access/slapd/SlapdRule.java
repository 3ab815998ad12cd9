package org.nyala.core.access.slapd;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.rights.Right;
import org.nyala.core.slapd.SlapdDirective;

/**
 * A rule of slapd as it was understood, for one part of the tree.
 *
 * <p>Immutable.
 *
 * @param directive the directive that it is in
 * @param what the target
 * @param clauses the clauses; slapd has one that denies after them
 */
record SlapdRule(SlapdDirective directive, What what, List<ByClause> clauses) {
  SlapdRule {
    clauses = List.copyOf(clauses);
  }

  /** Returns the rights that clauses from an index on may give. */
  Set<Right> givenFrom(int index) {
    EnumSet<Right> given = EnumSet.noneOf(Right.class);
    for (ByClause clause : clauses.subList(index, clauses.size())) {
      given.addAll(clause.given());
    }
    return what.isNothing() ? EnumSet.noneOf(Right.class) : given;
  }

  /** Returns whether a clause from an index on says what is asked next. */
  boolean has(Flow flow, int index) {
    return clauses.subList(index, clauses.size()).stream()
        .anyMatch(clause -> clause.flow() == flow);
  }

  /**
   * A clause of a rule of slapd.
   *
   * <p>Immutable.
   *
   * @param subjects the clients that it is for
   * @param grant the change of the rights
   * @param flow what is asked next
   * @param text its words, as messages show them
   */
  record ByClause(Subjects subjects, Grant grant, Flow flow, String text) {
    /** The grant of no rights. */
    static final Grant NOTHING = new Grant(Mode.SET, Set.of());

    Set<Right> given() {
      return grant.mode() == Mode.REMOVE ? EnumSet.noneOf(Right.class) : grant.rights();
    }

    /** Returns whether nothing is asked after it, and nobody is let pass. */
    boolean isDenial() {
      return flow == Flow.STOP && grant.equals(NOTHING);
    }
  }
}
