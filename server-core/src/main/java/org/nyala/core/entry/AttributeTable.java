package org.nyala.core.entry;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers by which a store names attribute descriptions in its entries: 1, 2, 3… in the order
 * in which they were first stored. A number is never used again for something else.
 *
 * <p>Immutable; {@link #with} makes a longer table.
 */
public final class AttributeTable {
  /** The table of a store that holds nothing. */
  public static final AttributeTable EMPTY =
      new AttributeTable(new AttributeDescription[0], Map.of());

  /** No attribute has this number. */
  public static final int ABSENT = 0;

  /** The most attribute descriptions that a store can name: they are stored in two bytes. */
  public static final int MAXIMUM_SIZE = 65_535;

  private final AttributeDescription[] descriptions;
  private final Map<AttributeDescription, Integer> ids;

  private AttributeTable(
      AttributeDescription[] descriptions, Map<AttributeDescription, Integer> ids) {
    this.descriptions = descriptions;
    this.ids = ids;
  }

  /** The same table with one description more, at number {@code size() + 1}. */
  public AttributeTable with(AttributeDescription description) {
    if (descriptions.length == MAXIMUM_SIZE) {
      throw new IllegalStateException("more than " + MAXIMUM_SIZE + " attribute descriptions");
    }
    if (ids.containsKey(description)) {
      throw new IllegalArgumentException(description + " has a number already");
    }
    AttributeDescription[] longer = Arrays.copyOf(descriptions, descriptions.length + 1);
    longer[descriptions.length] = description;
    Map<AttributeDescription, Integer> more = new HashMap<>(ids);
    more.put(description, longer.length);
    return new AttributeTable(longer, more);
  }

  /** How many descriptions have a number; the largest number. */
  public int size() {
    return descriptions.length;
  }

  /** The description with the given number, 1 to {@link #size()}. */
  public AttributeDescription description(int id) {
    return descriptions[id - 1];
  }

  /** The number of a description, or {@link #ABSENT}. */
  public int id(@Nullable AttributeDescription description) {
    return description == null ? ABSENT : ids.getOrDefault(description, ABSENT);
  }
}
