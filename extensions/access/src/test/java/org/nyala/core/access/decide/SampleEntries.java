package org.nyala.core.access.decide;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.nyala.core.access.rule.PlainDirectory.PlainEntry;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecordWriter;
import org.nyala.core.entry.EntryView;
import org.nyala.core.schema.Schema;

/** Turns entries as maps into records, with ids of parents as a store gives them. */
final class SampleEntries {
  private final Schema schema;
  private final Map<Dn, Long> ids = new HashMap<>();
  private AttributeTable table = AttributeTable.EMPTY;
  private long lastId;

  SampleEntries(Schema schema) {
    this.schema = schema;
  }

  AttributeTable table() {
    return table;
  }

  /** Returns the number of an attribute, which gets one if it has none. */
  int number(AttributeDescription description) {
    if (table.id(description) == AttributeTable.ABSENT) {
      table = table.with(description);
    }
    return table.id(description);
  }

  /** Gives all parents other ids, as if entries had been renamed. */
  void renumber(Random random) {
    List<Dn> names = new ArrayList<>(ids.keySet());
    Collections.shuffle(names, random);
    for (int i = 0; i < names.size(); i++) {
      ids.put(names.get(i), 1L + i);
    }
    lastId = names.size();
  }

  Dn dn(String name) {
    try {
      return DnParser.parse(schema, name);
    } catch (InvalidDnException e) {
      throw new IllegalArgumentException(name, e);
    }
  }

  AttributeDescription description(String attribute) {
    AttributeDescription description = AttributeDescription.parse(schema, attribute);
    if (description == null) {
      throw new IllegalArgumentException(attribute);
    }
    return description;
  }

  /** Moves a view to an entry; its record has the whole name if it has no parent to stand below. */
  void show(PlainEntry entry, boolean isTop, EntryView view) {
    Dn name = dn(entry.name());
    boolean hasParent = !isTop && name.rdnCount() > 1;
    byte[] rdn = hasParent ? name.rdn(0) : name.raw();
    Dn parent = hasParent ? name.parent() : Dn.EMPTY;
    long parentId = hasParent ? ids.computeIfAbsent(parent, _ -> ++lastId) : 0;
    EntryRecordWriter writer = new EntryRecordWriter().begin(parentId, rdn, 0);
    entry
        .attributes()
        .forEach(
            (attribute, values) -> {
              AttributeDescription description = description(attribute);
              List<byte[]> bytes = values.stream().map(SampleEntries::bytes).toList();
              writer.attribute(number(description), description.nameBytes(), false, false, bytes);
            });
    ByteAppender record = new ByteAppender(1024);
    writer.finish(record);
    long id = 1_000_000L + (name.hashCode() & 0xffffL);
    view.wrap(id, ByteBuffer.wrap(record.toByteArray()), 0, parent.raw());
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
