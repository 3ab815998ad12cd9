package org.nyala.core.access.decide;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.dn.Dn;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;

/**
 * A rule with its names, filter and values in the form in which they are tested.
 *
 * <p>Thread-safe.
 */
final class CompiledRule {
  /** The number of a filter that a rule has not. */
  static final int NO_FILTER = -1;

  private static final int FINDING_OUT =
      Rights.of(List.of(Right.COMPARE, Right.SEARCH, Right.READ));

  private final Rule rule;
  private final @Nullable CompiledPlace place;
  private final @Nullable CompiledPlace delegated;
  private final int filter;
  private final AttributeCover attributes;
  private final @Nullable ValueCheck value;
  private final int[] kept;
  private final int[] added;

  /**
   * Compiles a rule.
   *
   * @param delegated the subtree outside of which the rule does not act; null for a rule of the
   *     file
   * @param filter the number of its filter
   * @param attributes its attributes
   */
  CompiledRule(
      Rule rule, @Nullable CompiledPlace delegated, int filter, AttributeCover attributes) {
    this.rule = rule;
    this.delegated = delegated;
    this.filter = filter;
    this.attributes = attributes;
    boolean isEverywhere = CompiledPlace.isEverywhere(rule.target().place());
    this.place = isEverywhere ? null : new CompiledPlace(rule.target().place());
    this.value = ValueCheck.of(rule.target());
    this.kept = new int[rule.clauses().size()];
    this.added = new int[kept.length];
    for (int i = 0; i < kept.length; i++) {
      compile(i, rule.clauses().get(i).grant());
    }
  }

  /** Copies a rule with some of the rights that it gives. */
  private CompiledRule(CompiledRule other, int given) {
    this.rule = other.rule;
    this.delegated = other.delegated;
    this.filter = other.filter;
    this.attributes = other.attributes;
    this.place = other.place;
    this.value = other.value;
    this.kept = other.kept;
    this.added = other.added.clone();
    for (int i = 0; i < added.length; i++) {
      added[i] &= given;
    }
  }

  /** Returns the same rule without the rights to read, search and compare. */
  CompiledRule withoutFindingOut() {
    return new CompiledRule(this, ~FINDING_OUT);
  }

  /** Returns the same rule, which decides as before, but gives nothing. */
  CompiledRule withoutRights() {
    return new CompiledRule(this, Rights.of(List.of()));
  }

  /** Returns whether the rule is of the file, and names a place at or below a name. */
  boolean isWithin(Dn top) {
    return delegated == null && rule.target().place().isWithin(top);
  }

  private void compile(int clause, Grant grant) {
    int rights = Rights.of(grant.rights());
    switch (grant.mode()) {
      case SET -> added[clause] = rights;
      case ADD -> {
        kept[clause] = Rights.ALL;
        added[clause] = rights;
      }
      case REMOVE -> kept[clause] = Rights.ALL & ~rights;
    }
  }

  Rule rule() {
    return rule;
  }

  List<Clause> clauses() {
    return rule.clauses();
  }

  Flow flow(int clause) {
    return rule.clauses().get(clause).flow();
  }

  /** The place of the entries; null for all. */
  @Nullable CompiledPlace place() {
    return place;
  }

  /** The subtree outside of which the rule does not act; null if it acts everywhere. */
  @Nullable CompiledPlace delegated() {
    return delegated;
  }

  /** The number of the filter that entries match, or {@link #NO_FILTER}. */
  int filter() {
    return filter;
  }

  /** Returns whether only some values are covered. */
  boolean hasValueCheck() {
    return value != null;
  }

  /** Returns whether everything about its entries is covered, whatever is asked for. */
  boolean coversAllOfEntry() {
    return value == null && attributes.isAll();
  }

  /** Returns whether the attributes are covered that are asked for; values are another matter. */
  boolean covers(Subject subject) {
    return subject.isIn(attributes);
  }

  /** Returns whether the attribute that is asked for is in the list by its name. */
  boolean names(Subject subject) {
    return subject.isNamedIn(attributes);
  }

  /** Returns whether a value is covered; null for a question about no single value. */
  boolean covers(@Nullable ValueQuestion asked) {
    return value == null || asked != null && value.fits(asked);
  }

  /** Returns the rights after a clause. */
  int apply(int clause, int rights) {
    return rights & kept[clause] | added[clause];
  }
}
