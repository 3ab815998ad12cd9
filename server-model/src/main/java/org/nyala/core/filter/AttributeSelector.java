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
 * <p>Thread-safe: the answers for a table are computed once and published in final fields. Hot.
 * Answers take a bit for each number between the first and the last selected one, so that those of
 * all types of a schema together take no more than the table; of a description with options, of
 * which clients make up as many as they like, none are kept if the table is large.
 */
public final class AttributeSelector {
  /** The table up to which answers of a description with options are kept: 64 bytes of them. */
  private static final int MOST_KEPT = 512;

  /** The numbers of a table that are selected. */
  private static final class Answers {
    private static final long[] NONE = {};

    final AttributeTable table;
    final int firstWord;
    final long[] words;

    Answers(AttributeTable table, int first, int last) {
      this.table = table;
      this.firstWord = first >> 6;
      this.words = first > last ? NONE : new long[(last >> 6) - firstWord + 1];
    }

    void add(int attributeId) {
      words[(attributeId >> 6) - firstWord] |= 1L << attributeId;
    }

    boolean has(int attributeId) {
      int word = (attributeId >> 6) - firstWord;
      return word >= 0 && word < words.length && (words[word] & 1L << attributeId) != 0;
    }
  }

  private final AttributeDescription description;

  /** The rights that a selected attribute takes besides; null for none. */
  private final @Nullable AttributeRights rights;

  /** The selector of the same attributes whatever the rights; null if there are none. */
  private final @Nullable AttributeSelector unrestricted;

  /** The visibility of subtypes; null if none is hidden. */
  private final AttributeSelection.@Nullable Visibility visibility;

  private Answers answers = new Answers(AttributeTable.EMPTY, 1, 0);

  /** Selects {@code description} and everything below it. */
  public AttributeSelector(AttributeDescription description) {
    this(description, null, null, null);
  }

  private AttributeSelector(
      AttributeDescription description,
      @Nullable AttributeRights rights,
      @Nullable AttributeSelector unrestricted,
      AttributeSelection.@Nullable Visibility visibility) {
    this.description = description;
    this.rights = rights;
    this.unrestricted = unrestricted;
    this.visibility = visibility;
  }

  /**
   * Returns the selector of those of its attributes to which there is a right, hidden or not. It
   * keeps no answers of its own.
   */
  AttributeSelector within(AttributeRights others) {
    AttributeSelector all =
        rights == null && visibility == null ? this : new AttributeSelector(description);
    return new AttributeSelector(description, others, all, null);
  }

  /** Returns the selector of those of its attributes that are visible. */
  public AttributeSelector showing(AttributeSelection.Visibility shown) {
    return new AttributeSelector(description, null, null, shown);
  }

  /** Returns the selector of another description, which leaves out the same types. */
  AttributeSelector of(AttributeDescription other) {
    return new AttributeSelector(other, null, null, visibility);
  }

  /** Returns whether some types may be left out because they are hidden. */
  public boolean mayHide() {
    return visibility != null;
  }

  /** Returns whether a type that descends from that of the description is not left out. */
  public boolean shows(AttributeType type) {
    return visibility == null || visibility.isVisible(type);
  }

  /** Returns whether values in names, of a type that descends from the description, are tested. */
  boolean selectsNaming(AttributeDescription naming) {
    AttributeRights asked = rights;
    return naming.isSubtypeOf(description)
        && shows(naming.type())
        && (asked == null || asked.isGranted(naming));
  }

  /** Returns the description that the request named. */
  public AttributeDescription description() {
    return description;
  }

  /** Returns whether the attribute with number {@code attributeId} in {@code table} is selected. */
  public boolean selects(AttributeTable table, int attributeId) {
    AttributeSelector all = unrestricted;
    AttributeRights asked = rights;
    if (all != null && asked != null) {
      return all.selects(table, attributeId) && asked.isGranted(table, attributeId);
    }
    Answers known = answers;
    if (known.table != table) {
      if (isAskedEachTime(table)) {
        return isSelected(table.description(attributeId));
      }
      known = compute(table);
      answers = known;
    }
    return known.has(attributeId);
  }

  /** Returns whether the answers for a table are known already; computing them takes a while. */
  boolean knows(AttributeTable table) {
    AttributeSelector all = unrestricted;
    return all != null ? all.knows(table) : answers.table == table || isAskedEachTime(table);
  }

  /** The number of tests, roughly, that computing the answers for a table takes. */
  static int cost(AttributeTable table) {
    return table.types().size();
  }

  private boolean isAskedEachTime(AttributeTable table) {
    return !description.options().isEmpty() && table.size() > MOST_KEPT;
  }

  private boolean isSelected(AttributeDescription each) {
    return each.isSubtypeOf(description) && shows(each.type());
  }

  private Answers compute(AttributeTable table) {
    int first = Integer.MAX_VALUE;
    int last = 0;
    for (AttributeType type : table.types()) {
      if (type.isOrDescendsFrom(description.type()) && shows(type)) {
        int[] numbers = table.numbers(type);
        first = Math.min(first, numbers[0]);
        last = Math.max(last, numbers[numbers.length - 1]);
      }
    }
    Answers computed = new Answers(table, first, last);
    for (AttributeType type : table.types()) {
      if (type.isOrDescendsFrom(description.type()) && shows(type)) {
        for (int id : table.numbers(type)) {
          if (isSelected(table.description(id))) {
            computed.add(id);
          }
        }
      }
    }
    return computed;
  }

  /** Returns a text that differs from that of selectors of other attributes. */
  @Override
  public String toString() {
    return rights == null ? description.toString() : description + " within rights";
  }
}
