package org.nyala.core.filter;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;

/**
 * The rules by which {@code memberOf} is computed: the names of the entries that have the entry's
 * name among the values of a group attribute.
 *
 * <p>Immutable.
 *
 * @param memberOf the attribute that is computed
 * @param groupAttributes the attributes whose values are names of members
 * @param nested true if members of groups in a group count as members of it, too
 * @param maximumGroups the maximum number of groups that one answer takes into account, at least 1
 */
public record Membership(
    AttributeType memberOf,
    List<AttributeSelector> groupAttributes,
    boolean nested,
    int maximumGroups) {
  /**
   * The matching rule that follows references from entry to entry, known as "in chain": of {@code
   * memberOf} and of the group attributes.
   */
  public static final String CHAIN_RULE_OID = "1.2.840.113556.1.4.1941";

  public Membership {
    if (maximumGroups < 1) {
      throw new IllegalArgumentException("maximumGroups " + maximumGroups);
    }
    groupAttributes = List.copyOf(groupAttributes);
  }

  /** Computes from the given attributes. */
  public static Membership of(
      AttributeType memberOf,
      List<AttributeType> groupAttributes,
      boolean nested,
      int maximumGroups) {
    List<AttributeSelector> selectors =
        groupAttributes.stream()
            .map(type -> new AttributeSelector(AttributeDescription.of(type)))
            .toList();
    return new Membership(memberOf, selectors, nested, maximumGroups);
  }

  public boolean computes(AttributeType type) {
    return memberOf.equals(type);
  }

  /** The selector of a group attribute; null if the type is none. */
  @Nullable AttributeSelector groupAttribute(AttributeType type) {
    for (AttributeSelector selector : groupAttributes) {
      if (selector.description().type().equals(type)) {
        return selector;
      }
    }
    return null;
  }
}
