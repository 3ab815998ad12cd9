package org.nyala.lmdb;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.schema.Schema;

/**
 * The attributes that an import has met so far, with their numbers.
 *
 * <p>Thread-safe: all threads that prepare entries share it, and ask once per attribute.
 */
final class ImportAttributes {
  private final Schema schema;
  private final List<IndexDefinition> indexes;
  private final AttributeNumbers numbers = new AttributeNumbers(AttributeTable.EMPTY);
  private final Map<AttributeDescription, ImportAttribute> known = new HashMap<>();

  /** Starts with no numbers handed out. */
  ImportAttributes(Schema schema, List<IndexDefinition> indexes) {
    this.schema = schema;
    this.indexes = List.copyOf(indexes);
  }

  /**
   * The attribute of a name with or without options; null when {@link #refusal} says why there is
   * none, and no number was handed out.
   */
  @Nullable ImportAttribute byName(String name) {
    AttributeDescription description = AttributeDescription.parse(schema, name);
    return description == null || description.obstacle(schema.attributeOptions()) != null
        ? null
        : of(description);
  }

  /** Why there is no attribute of a name: the rule that an add and a modify keep, too. */
  String refusal(String name) {
    AttributeDescription description = AttributeDescription.parse(schema, name);
    String obstacle = description == null ? null : description.obstacle(schema.attributeOptions());
    return obstacle == null ? "unknown attribute type \"" + name + '"' : obstacle;
  }

  /** The attribute of a description. */
  synchronized ImportAttribute of(AttributeDescription description) {
    ImportAttribute attribute = known.get(description);
    if (attribute == null) {
      int id = numbers.id(description);
      int plainId = numbers.id(AttributeDescription.of(description.type()));
      attribute = new ImportAttribute(description, id, plainId, indexes);
      known.put(description, attribute);
    }
    return attribute;
  }

  /** The numbers handed out so far. */
  synchronized AttributeTable table() {
    return numbers.table();
  }
}
