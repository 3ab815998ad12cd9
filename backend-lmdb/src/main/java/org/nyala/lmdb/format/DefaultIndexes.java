package org.nyala.lmdb.format;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The indexes of a store for which none are configured: on the attributes that people search by.
 */
public final class DefaultIndexes {
  private static final String EQUALITY_AND_SUBSTRING = "uid cn sn givenName displayName mail";

  private static final String EQUALITY_ONLY =
      "objectClass ou dc o c l member uniqueMember memberUid memberOf owner manager seeAlso"
          + " entryUUID createTimestamp employeeNumber uidNumber gidNumber telephoneNumber mobile"
          + " associatedDomain";

  private DefaultIndexes() {}

  /** Returns the defaults, as far as the schema knows the attributes and has rules for them. */
  public static List<IndexDefinition> of(Schema schema) {
    Map<String, IndexDefinition> definitions = new TreeMap<>();
    for (String name : EQUALITY_AND_SUBSTRING.split(" ", -1)) {
      add(schema, name, EnumSet.of(IndexKind.EQUALITY, IndexKind.SUBSTRING), definitions);
    }
    for (String name : EQUALITY_ONLY.split(" ", -1)) {
      add(schema, name, EnumSet.of(IndexKind.EQUALITY), definitions);
    }
    return new ArrayList<>(definitions.values());
  }

  private static void add(
      Schema schema,
      String name,
      EnumSet<IndexKind> kinds,
      Map<String, IndexDefinition> definitions) {
    AttributeType type = schema.attributeType(name);
    if (type == null) {
      return;
    }
    kinds.removeIf(kind -> !IndexDefinition.isPossible(type, kind));
    if (!kinds.isEmpty()) {
      definitions.put(name, new IndexDefinition(type, kinds));
    }
  }
}
