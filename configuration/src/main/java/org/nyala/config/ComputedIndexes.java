package org.nyala.config;

import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.format.IndexDefinition;

/**
 * Rejects indexes that would never be used, because their attributes are computed and not stored.
 */
public final class ComputedIndexes {
  private ComputedIndexes() {}

  /** Returns whether an index would be on values that are never in a store. */
  public static boolean isComputed(Schema schema, IndexDefinition index) {
    return !AttributeProviders.of(schema, false, false)
        .of(index.type())
        .allows(AttributeProviders.Use.INDEXED);
  }

  /** Returns the reason why there is no index on a computed attribute. */
  public static String reason(IndexDefinition index) {
    return index.type().name() + " is computed for each answer: an index on it would never be used";
  }
}
