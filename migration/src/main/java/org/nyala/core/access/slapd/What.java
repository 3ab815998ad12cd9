package org.nyala.core.access.slapd;

import java.util.List;
import org.nyala.core.access.rule.Attributes;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Target;

/**
 * The target of a rule of slapd within one part of the tree, as near as the language comes: exactly
 * this, or something that it is a part of.
 *
 * <p>Immutable.
 *
 * @param isNothing whether it covers nothing there
 * @param target what it covers, and perhaps more
 * @param captures the parts of the entry's name that it keeps
 * @param reasons the reasons why the target covers more; none if it does not
 * @param notes what was left out without a difference
 */
record What(
    boolean isNothing, Target target, Captures captures, List<String> reasons, List<String> notes) {
  What {
    reasons = List.copyOf(reasons);
    notes = List.copyOf(notes);
  }

  /** Returns a target of which nothing is known but the part of the tree. */
  static What unknown(Place part, List<String> reasons) {
    Target target = new Target(part, null, Attributes.ALL, null);
    return new What(false, target, Captures.UNKNOWN, reasons, List.of());
  }

  /** Returns whether the target says exactly what is covered. */
  boolean isExact() {
    return reasons.isEmpty();
  }
}
