package org.nyala.core.access.slapd;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.rights.Right;

/**
 * The most rights that anybody may have at a place among rules of slapd, whatever fits.
 *
 * <p>Immutable.
 *
 * @param before the rights that rules before may have left by saying {@code break}
 * @param after the rights that rules after may give
 */
record Ceiling(Set<Right> before, Set<Right> after) {
  Ceiling {
    before = Collections.unmodifiableSet(union(before, Set.of()));
    after = Collections.unmodifiableSet(union(after, Set.of()));
  }

  static Set<Right> union(Set<Right> one, Set<Right> other) {
    EnumSet<Right> both = EnumSet.noneOf(Right.class);
    both.addAll(one);
    both.addAll(other);
    return both;
  }

  /** Returns the rights that rules may leave to those after them. */
  static Set<Right> left(List<SlapdRule> rules) {
    EnumSet<Right> left = EnumSet.noneOf(Right.class);
    for (SlapdRule rule : rules) {
      if (rule.has(Flow.BREAK, 0)) {
        left.addAll(rule.givenFrom(0));
      }
    }
    return left;
  }

  static Set<Right> given(List<SlapdRule> rules) {
    EnumSet<Right> given = EnumSet.noneOf(Right.class);
    rules.forEach(rule -> given.addAll(rule.givenFrom(0)));
    return given;
  }

  /** Returns what may be left and given together. */
  Set<Right> all() {
    return union(before, after);
  }
}
