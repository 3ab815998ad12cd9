package org.nyala.config;

import org.nyala.core.filter.ComputedAttributes;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.format.IndexDefinition;

/** Indexes that would never be used, for their attributes are computed and in no store. */
public final class ComputedIndexes {
  /**
   * Not among the computed ones where the schema has no structure rules, and without values then.
   */
  private static final String GOVERNING_STRUCTURE_RULE_OID = "2.5.21.10";

  private ComputedIndexes() {}

  /** Returns whether an index would be on values that are never in a store. */
  public static boolean isComputed(Schema schema, IndexDefinition index) {
    return ComputedAttributes.of(schema).contains(index.type())
        || index.type().oid().equals(GOVERNING_STRUCTURE_RULE_OID);
  }

  /** The reason why there is no index on a computed attribute. */
  public static String reason(IndexDefinition index) {
    return index.type().name()
        + " is computed when somebody asks for it: an index on it would never be used";
  }
}
