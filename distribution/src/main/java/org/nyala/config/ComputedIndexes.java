package org.nyala.config;

import org.nyala.core.filter.ComputedAttributes;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.format.IndexDefinition;

/**
 * Rejects indexes that would never be used, because their attributes are computed and not stored.
 */
public final class ComputedIndexes {
  /** An attribute that is not computed, and has no values, if the schema has no structure rules. */
  private static final String GOVERNING_STRUCTURE_RULE_OID = "2.5.21.10";

  private ComputedIndexes() {}

  /** Returns whether an index would be on values that are never in a store. */
  public static boolean isComputed(Schema schema, IndexDefinition index) {
    return ComputedAttributes.of(schema).contains(index.type())
        || index.type().oid().equals(GOVERNING_STRUCTURE_RULE_OID);
  }

  /** Returns the reason why there is no index on a computed attribute. */
  public static String reason(IndexDefinition index) {
    return index.type().name() + " is computed for each answer: an index on it would never be used";
  }
}
