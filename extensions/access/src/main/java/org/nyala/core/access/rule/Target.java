package org.nyala.core.access.rule;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Attributes.Item;

/**
 * The entries, attributes and values that a rule covers: those that fit all parts.
 *
 * <p>Immutable.
 *
 * @param place the names of the entries
 * @param where the filter that entries match; null for all
 * @param attributes the attributes
 * @param value the values; null for all, and for questions about no single value
 */
public record Target(
    Place place, @Nullable Where where, Attributes attributes, @Nullable TargetValue value) {
  /** The target of everything there is. */
  public static final Target ALL = new Target(Place.EVERYWHERE, null, Attributes.ALL, null);

  /**
   * Checks the parts together.
   *
   * @throws IllegalArgumentException if values are tested and not exactly one attribute is named
   */
  public Target {
    boolean isOne =
        !attributes.isAllBut()
            && attributes.items().size() == 1
            && attributes.items().getFirst() instanceof Item.Described;
    if (value != null && !isOne) {
      throw new IllegalArgumentException("a value needs exactly one attribute");
    }
  }
}
