package org.nyala.lmdb;

import java.util.HashMap;
import java.util.Map;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;

/**
 * Hands out attribute numbers while entries are written. A description with options brings its
 * plain type along, by whose number its values are indexed.
 *
 * <p>Confined to one running operation.
 */
final class AttributeNumbers {
  private final Map<AttributeDescription, Integer> known = new HashMap<>();
  private AttributeTable table;

  /** Goes on from a table. */
  AttributeNumbers(AttributeTable table) {
    this.table = table;
    for (int id = 1; id <= table.size(); id++) {
      known.put(table.description(id), id);
    }
  }

  /** The number of a description, a new one if it had none. */
  int id(AttributeDescription description) {
    Integer id = known.get(description);
    if (id != null) {
      return id;
    }
    if (!description.options().isEmpty()) {
      id(AttributeDescription.of(description.type()));
    }
    table = table.with(description);
    known.put(description, table.size());
    return table.size();
  }

  /** The table so far. */
  AttributeTable table() {
    return table;
  }
}
