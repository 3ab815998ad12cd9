package org.nyala.core.directory.virtual;

import java.nio.charset.StandardCharsets;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/** The computed attributes of entries that no store holds. Stateless. */
public final class VirtualAttributes {
  private VirtualAttributes() {}

  /** Adds the entry's own name, and that of the schema. */
  public static void addNames(Schema schema, Entry entry) {
    add(schema, entry, ComputedAttribute.ENTRY_DN, entry.dn().toString());
    addSubschema(schema, entry);
  }

  /** Adds the name of the entry that shows the schema. */
  static void addSubschema(Schema schema, Entry entry) {
    add(schema, entry, ComputedAttribute.SUBSCHEMA_SUBENTRY, AttributeProviders.SUBSCHEMA_DN);
  }

  /** Adds whether there are entries below. */
  public static void addSubordinates(Schema schema, Entry entry, boolean has) {
    add(schema, entry, ComputedAttribute.HAS_SUBORDINATES, has ? "TRUE" : "FALSE");
  }

  private static void add(Schema schema, Entry entry, ComputedAttribute attribute, String value) {
    AttributeType type = attribute.in(schema);
    if (type != null) {
      entry.add(AttributeDescription.of(type), value.getBytes(StandardCharsets.UTF_8));
    }
  }
}
