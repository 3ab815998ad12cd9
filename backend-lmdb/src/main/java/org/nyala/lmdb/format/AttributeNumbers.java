package org.nyala.lmdb.format;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;

/**
 * Hands out attribute numbers while entries are written. A description with options adds its plain
 * type as well, by whose number its values are indexed.
 *
 * <p>Confined to one running operation.
 */
public final class AttributeNumbers {
  private final Map<AttributeDescription, Integer> known = new HashMap<>();

  /** Descriptions that are not in the table yet, because lengthening the table copies it. */
  private final List<AttributeDescription> added = new ArrayList<>();

  private AttributeTable table;

  /** Continues from a table. */
  public AttributeNumbers(AttributeTable table) {
    this.table = table;
    for (int id = 1; id <= table.size(); id++) {
      known.put(table.description(id), id);
    }
  }

  /** Returns the number of a description, a new one if it had none. */
  public int id(AttributeDescription description) {
    Integer id = known.get(description);
    if (id != null) {
      return id;
    }
    if (!description.options().isEmpty()) {
      id(AttributeDescription.of(description.type()));
    }
    int next = table.size() + added.size() + 1;
    if (next > AttributeTable.MAXIMUM_SIZE) {
      throw new IllegalStateException("all attribute numbers are taken");
    }
    added.add(description);
    known.put(description, next);
    return next;
  }

  /** Returns the table so far. */
  public AttributeTable table() {
    if (!added.isEmpty()) {
      table = table.with(added);
      added.clear();
    }
    return table;
  }
}
