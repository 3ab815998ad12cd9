package org.nyala.core.access.decide;

import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.Right;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.AttributeSelector;

/**
 * A client's rights in the scope of a search, before entries are read. {@link Extent#EVERYWHERE}
 * and {@link Extent#NOWHERE} are certain; {@link Extent#MIXED} may be more than is true.
 *
 * <p>Immutable.
 */
public final class Reach {
  /** The entries of a scope for which a client has a right to an attribute. */
  public enum Extent {
    /** All of them, whatever they contain. */
    EVERYWHERE,
    /** None of them. */
    NOWHERE,
    /** Perhaps some: each has to be asked about. */
    MIXED;

    /** Returns the extent of both together: of several attributes that a filter tests at once. */
    Extent and(Extent other) {
      return this == other ? this : MIXED;
    }
  }

  private final Program program;

  Reach(Program program) {
    this.program = program;
  }

  /** Returns the entries for which the client has a right to an attribute as a whole. */
  public Extent of(AttributeDescription attribute, Right right) {
    return of(Subject.of(attribute), right);
  }

  /** Returns the entries that the client has a right to, or to whose children. */
  public Extent of(Pseudo pseudo, Right right) {
    return of(Subject.of(pseudo), right);
  }

  /**
   * Returns the entries for which the client has a right to the attributes that a filter tests: to
   * each of them as a whole.
   *
   * @param table the numbers of the attributes that entries have
   * @param selector the attribute of the filter, with its subtypes and any options
   */
  public Extent of(AttributeTable table, AttributeSelector selector, Right right) {
    Extent all = of(selector.description(), right);
    for (int id = 1; id <= table.size(); id++) {
      if (selector.selects(table, id)) {
        all = all.and(of(table.description(id), right));
      }
    }
    return all;
  }

  private Extent of(Subject subject, Right right) {
    Bounds bounds = Bounds.of(program, subject, false);
    if (Rights.has(bounds.always(), right)) {
      return Extent.EVERYWHERE;
    }
    return Rights.has(bounds.ever(), right) ? Extent.MIXED : Extent.NOWHERE;
  }
}
