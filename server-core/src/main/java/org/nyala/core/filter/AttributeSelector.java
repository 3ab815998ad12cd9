package org.nyala.core.filter;

import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.schema.AttributeType;

/**
 * The stored attributes for which an attribute description of a request stands: the same
 * description, its subtypes, and the same with more options (RFC 4512, section 2.5), without types
 * that are hidden.
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

  /** The visibility of subtypes; null if none is hidden. */
  private final AttributeSelection.@Nullable Visibility visibility;

  private Answers answers = new Answers(AttributeTable.EMPTY, new boolean[1]);

  /** Selects {@code description} and everything below it. */
  public AttributeSelector(AttributeDescription description) {
    this(description, null, null);
  }

  private AttributeSelector(
      AttributeDescription description,
      @Nullable AttributeRights rights,
      AttributeSelection.@Nullable Visibility visibility) {
    this.description = description;
    this.rights = rights;
    this.visibility = visibility;
  }

  /** Returns the selector of those of its attributes to which there is a right, hidden or not. */
  AttributeSelector within(AttributeRights others) {
    return new AttributeSelector(description, others, null);
  }

  /** Returns the selector of those of its attributes that are visible. */
  public AttributeSelector showing(AttributeSelection.Visibility shown) {
    return new AttributeSelector(description, rights, shown);
  }

  /** Returns the selector of another description, which leaves out the same types. */
  AttributeSelector of(AttributeDescription other) {
    return new AttributeSelector(other, rights, visibility);
  }

  /** Returns whether some types may be left out because they are hidden. */
  public boolean mayHide() {
    return visibility != null;
  }

  /** Returns whether a type that descends from that of the description is not left out. */
  public boolean shows(AttributeType type) {
    return visibility == null || visibility.isVisible(type);
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
      AttributeDescription each = table.description(id);
      selected[id] = each.isSubtypeOf(description) && shows(each.type()) && isGranted(granted, id);
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
