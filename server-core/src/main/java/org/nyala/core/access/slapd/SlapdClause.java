package org.nyala.core.access.slapd;

import java.util.EnumSet;
import java.util.Set;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.access.rule.Right;

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
record SlapdClause(Subjects subjects, Grant grant, Flow flow, String text) {
  /** The grant of no rights. */
  static final Grant NOTHING = new Grant(Mode.SET, Set.of());

  /** Returns the rights that it may give. */
  Set<Right> given() {
    return grant.mode() == Mode.REMOVE ? EnumSet.noneOf(Right.class) : grant.rights();
  }

  /** Returns whether nothing is asked after it, and nobody is let pass. */
  boolean isDenial() {
    return flow == Flow.STOP && grant.equals(NOTHING);
  }
}
