package org.nyala.core.rights;

import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.Schema;

/** The attributes that items of filters test. */
final class TestedAttributes {
  private TestedAttributes() {}

  /** Returns the attribute that an item names; null if it names none that the schema knows. */
  static @Nullable AttributeDescription of(Schema schema, FilterNode item) {
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
  static byte @Nullable [] value(FilterNode item) {
    return switch (item) {
      case FilterNode.Equality test -> test.value();
      case FilterNode.Approximate test -> test.value();
      default -> null;
    };
  }
}
