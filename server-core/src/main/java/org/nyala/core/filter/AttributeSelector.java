package org.nyala.core.filter;

import org.jspecify.annotations.Nullable;
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
  private final @Nullable AttributeRights rights;
  private Answers answers = new Answers(AttributeTable.EMPTY, new boolean[1]);

  /** Selects {@code description} and everything below it. */
  public AttributeSelector(AttributeDescription description) {
    this(description, null);
  }

  private AttributeSelector(AttributeDescription description, @Nullable AttributeRights rights) {
    this.description = description;
    this.rights = rights;
  }

  /** Returns the selector of those of its attributes to which there is a right. */
  AttributeSelector within(AttributeRights others) {
    return new AttributeSelector(description, others);
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
    boolean[] granted = rights == null ? null : rights.granted(table);
    for (int id = 1; id <= table.size(); id++) {
      selected[id] = table.description(id).isSubtypeOf(description) && isGranted(granted, id);
    }
    return new Answers(table, selected);
  }

  private boolean isGranted(boolean @Nullable [] granted, int attributeId) {
    return rights == null || granted != null && granted[attributeId];
  }

  /** Returns a text that differs from that of selectors of other attributes. */
  @Override
  public String toString() {
    return rights == null ? description.toString() : description + " within rights";
  }
}
