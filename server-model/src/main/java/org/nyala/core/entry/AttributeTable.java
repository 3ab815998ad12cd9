package org.nyala.core.entry;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;

/**
 * The numbers by which a store names attribute descriptions in its entries: 1, 2, 3… in the order
 * in which they were first stored. A number is never used again for something else.
 *
 * <p>Immutable, but for an order by types that is made once it is asked for; {@link #with} makes a
 * longer table.
 */
public final class AttributeTable {
  /** The table of a store that holds nothing. */
  public static final AttributeTable EMPTY =
      new AttributeTable(new AttributeDescription[0], Map.of(), 0);

  /** No attribute has this number. */
  public static final int ABSENT = 0;

  /** The most attribute descriptions that a store can name: they are stored in two bytes. */
  public static final int MAXIMUM_SIZE = 65_535;

  private static final int[] NONE = {};

  private final AttributeDescription[] descriptions;
  private final Map<AttributeDescription, Integer> ids;
  private final int optionCount;
  private @Nullable ByType byType;

  /** The numbers of the descriptions of each type, which rise. */
  private record ByType(Map<AttributeType, int[]> numbers) {
    static ByType of(AttributeDescription[] descriptions) {
      Map<AttributeType, Integer> counts = new LinkedHashMap<>();
      for (AttributeDescription each : descriptions) {
        counts.merge(each.type(), 1, Integer::sum);
      }
      Map<AttributeType, int[]> numbers = LinkedHashMap.newLinkedHashMap(counts.size());
      counts.forEach((type, count) -> numbers.put(type, new int[count]));
      for (int i = descriptions.length - 1; i >= 0; i--) {
        AttributeType type = descriptions[i].type();
        int place = counts.merge(type, -1, Integer::sum);
        Objects.requireNonNull(numbers.get(type))[place] = i + 1;
      }
      return new ByType(numbers);
    }
  }

  private AttributeTable(
      AttributeDescription[] descriptions,
      Map<AttributeDescription, Integer> ids,
      int optionCount) {
    this.descriptions = descriptions;
    this.ids = ids;
    this.optionCount = optionCount;
  }

  /** Returns the same table with one description more, at number {@code size() + 1}. */
  public AttributeTable with(AttributeDescription description) {
    return with(List.of(description));
  }

  /**
   * Returns the same table with more descriptions, at numbers from {@code size() + 1}, in their
   * order.
   */
  public AttributeTable with(List<AttributeDescription> added) {
    int size = descriptions.length;
    if (added.size() > MAXIMUM_SIZE - size) {
      throw new IllegalStateException("more than " + MAXIMUM_SIZE + " attribute descriptions");
    }
    AttributeDescription[] longer = Arrays.copyOf(descriptions, size + added.size());
    Map<AttributeDescription, Integer> more = new HashMap<>(ids);
    int options = optionCount;
    for (AttributeDescription description : added) {
      longer[size++] = description;
      if (more.put(description, size) != null) {
        throw new IllegalArgumentException(description + " has a number already");
      }
      options += description.hasFreeOptions() ? 1 : 0;
    }
    return new AttributeTable(longer, more, options);
  }

  /** Returns the number of numbered descriptions, which is also the largest number. */
  public int size() {
    return descriptions.length;
  }

  /**
   * Returns the number of descriptions with {@linkplain AttributeDescription#hasFreeOptions
   * options}.
   */
  public int optionCount() {
    return optionCount;
  }

  /** The description with the given number, 1 to {@link #size()}. */
  public AttributeDescription description(int id) {
    return descriptions[id - 1];
  }

  /** Returns the types of the numbered descriptions. */
  public Set<AttributeType> types() {
    return Collections.unmodifiableSet(byType().numbers().keySet());
  }

  /** Returns the numbers of the descriptions of a type, which rise. Borrowed. */
  public int[] numbers(AttributeType type) {
    return byType().numbers().getOrDefault(type, NONE);
  }

  private ByType byType() {
    ByType known = byType;
    if (known == null) {
      known = ByType.of(descriptions);
      byType = known;
    }
    return known;
  }

  /** The number of a description, or {@link #ABSENT}. */
  public int id(@Nullable AttributeDescription description) {
    return description == null ? ABSENT : ids.getOrDefault(description, ABSENT);
  }
}
