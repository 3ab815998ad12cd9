package org.nyala.core.filter;

import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;

/**
 * The stored attributes for which an attribute description of a request stands: the same
 * description, its subtypes, and the same with more options (RFC 4512, section 2.5).
 *
 * <p>Thread-safe: the answers for a table are computed once and published in a final-field array.
 * Hot.
 */
public final class AttributeSelector {
  private static final class Answers {
    final AttributeTable table;
    final boolean[] selected;

    Answers(AttributeTable table, boolean[] selected) {
      this.table = table;
      this.selected = selected;
    }
  }

  private final AttributeDescription description;
  private Answers answers = new Answers(AttributeTable.EMPTY, new boolean[1]);

  /** Selects {@code description} and everything below it. */
  public AttributeSelector(AttributeDescription description) {
    this.description = description;
  }

  /** Returns the description that the request named. */
  public AttributeDescription description() {
    return description;
  }

  /** Returns whether the attribute with number {@code attributeId} in {@code table} is selected. */
  public boolean selects(AttributeTable table, int attributeId) {
    Answers known = answers;
    if (known.table != table) {
      known = compute(table);
      answers = known;
    }
    return known.selected[attributeId];
  }

  /** Returns whether the answers for a table are known already; computing them takes a while. */
  boolean knows(AttributeTable table) {
    return answers.table == table;
  }

  private Answers compute(AttributeTable table) {
    boolean[] selected = new boolean[table.size() + 1];
    for (int id = 1; id <= table.size(); id++) {
      selected[id] = table.description(id).isSubtypeOf(description);
    }
    return new Answers(table, selected);
  }

  @Override
  public String toString() {
    return description.toString();
  }
}
