package org.nyala.core.rights;

import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/** The attribute {@code accessRule}, in which the directory itself holds rules. Stateless. */
public final class RulesAttribute {
  /** Its identifier. */
  public static final String OID = "2.25.243364186533117308521887600532469739927.1.1";

  private RulesAttribute() {}

  /** Returns the attribute that holds rules; null if the schema has none. */
  public static @Nullable AttributeDescription of(Schema schema) {
    AttributeType type = schema.attributeType(OID);
    return type == null ? null : AttributeDescription.of(type);
  }

  /** Returns whether an attribute holds rules: whoever changes it needs to {@code manage} it. */
  public static boolean isHeldIn(AttributeType type) {
    for (AttributeType each = type; each != null; each = each.superior()) {
      if (each.oid().equals(OID)) {
        return true;
      }
    }
    return false;
  }
}
