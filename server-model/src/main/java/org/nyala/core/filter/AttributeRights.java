package org.nyala.core.filter;

import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;

/**
 * The attributes of an entry to which a client has a right.
 *
 * <p>Thread-safe. Arrays are borrowed, and never written to.
 */
public interface AttributeRights {
  /** Returns for every number of a table whether there is a right; null if there is none. */
  boolean @Nullable [] granted(AttributeTable table);

  /** Returns whether there is a right to the attribute of a number. */
  boolean isGranted(AttributeTable table, int attributeId);

  /** Returns whether there is a right to an attribute that no table numbers. */
  boolean isGranted(AttributeDescription description);
}
