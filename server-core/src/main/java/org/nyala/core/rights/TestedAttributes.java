package org.nyala.core.rights;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.Schema;

/** The attributes that items of filters test. Stateless. */
public final class TestedAttributes {
  /** The attributes that are told apart: a filter that names more is taken to test all. */
  private static final int MOST_NAMED = 64;

  private TestedAttributes() {}

  /**
   * Returns a test of attributes: true for those that one of some items may look at, and perhaps
   * for others.
   */
  public static Predicate<AttributeDescription> among(Schema schema, List<FilterNode> items) {
    Set<AttributeDescription> named = new HashSet<>();
    for (FilterNode item : items) {
      AttributeDescription tested = of(schema, item);
      boolean isUntyped = item instanceof FilterNode.Extensible it && it.attribute() == null;
      if (isUntyped || named.size() == MOST_NAMED) {
        return _ -> true;
      }
      if (tested != null) {
        named.add(tested);
      }
    }
    return attribute -> named.stream().anyMatch(attribute::isSubtypeOf);
  }

  /** Returns the attribute that an item names; null if it names none that the schema knows. */
  public static @Nullable AttributeDescription of(Schema schema, FilterNode item) {
    String name =
        switch (item) {
          case FilterNode.Equality test -> test.attribute();
          case FilterNode.Approximate test -> test.attribute();
          case FilterNode.Substrings test -> test.attribute();
          case FilterNode.GreaterOrEqual test -> test.attribute();
          case FilterNode.LessOrEqual test -> test.attribute();
          case FilterNode.Present test -> test.attribute();
          case FilterNode.Extensible test -> test.attribute();
          case FilterNode.And _, FilterNode.Or _, FilterNode.Not _ -> null;
        };
    return name == null ? null : AttributeDescription.parse(schema, name);
  }

  /** Returns the value that an item asks for; null if it asks for more than one. */
  public static byte @Nullable [] value(FilterNode item) {
    return switch (item) {
      case FilterNode.Equality test -> test.value();
      case FilterNode.Approximate test -> test.value();
      default -> null;
    };
  }
}
