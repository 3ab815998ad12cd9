package org.nyala.lmdb.ldif;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryVerdicts;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.format.AttributeNumbers;
import org.nyala.lmdb.format.IndexDefinition;

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
  private final int mostWithOptions;
  private int withOptions;

  /** Starts with no numbers handed out. */
  ImportAttributes(Schema schema, List<IndexDefinition> indexes) {
    this.schema = schema;
    this.indexes = List.copyOf(indexes);
    // Descriptions without options are as many as the schema has types, and always find a number.
    this.mostWithOptions =
        Math.max(0, AttributeTable.MAXIMUM_SIZE - schema.attributeTypes().size());
  }

  /**
   * Returns the attribute of a name with or without options; null if it may not be used or no
   * number is left: then {@link #refusal} returns the reason, and no number was handed out.
   */
  @Nullable ImportAttribute byName(String name) {
    AttributeDescription description = AttributeDescription.parse(schema, name);
    return description == null || description.obstacle(schema.attributeOptions()) != null
        ? null
        : ofOptional(description);
  }

  private synchronized @Nullable ImportAttribute ofOptional(AttributeDescription description) {
    boolean isNew = !description.options().isEmpty() && !known.containsKey(description);
    return isNew && withOptions >= mostWithOptions ? null : of(description);
  }

  /**
   * Returns the reason why there is no attribute of a name, by the rule of add and modify
   * operations.
   */
  String refusal(String name) {
    AttributeDescription description = AttributeDescription.parse(schema, name);
    if (description == null) {
      return EntryVerdicts.unknownType(name);
    }
    String obstacle = description.obstacle(schema.attributeOptions());
    return obstacle == null
        ? "with "
            + description
            + " there would be more than "
            + mostWithOptions
            + " attribute descriptions with options, and a store can name no more"
        : obstacle;
  }

  synchronized ImportAttribute of(AttributeDescription description) {
    ImportAttribute attribute = known.get(description);
    if (attribute == null) {
      int id = numbers.id(description);
      int plainId = numbers.id(AttributeDescription.of(description.type()));
      attribute = new ImportAttribute(description, id, plainId, indexes);
      known.put(description, attribute);
      withOptions += description.options().isEmpty() ? 0 : 1;
    }
    return attribute;
  }

  /** Returns the numbers handed out so far. */
  synchronized AttributeTable table() {
    return numbers.table();
  }
}
