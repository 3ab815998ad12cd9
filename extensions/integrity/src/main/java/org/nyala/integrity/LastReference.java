package org.nyala.integrity;

import org.nyala.core.dn.Dn;

/**
 * The fate of the last value of an attribute if the entry that it names is deleted.
 *
 * <p>Immutable.
 */
public sealed interface LastReference {
  /** Refuses the delete if the attribute must have a value. */
  record Refused() implements LastReference {}

  /** Keeps the value, which then names no entry, if the attribute must have one. */
  record Kept() implements LastReference {}

  /**
   * Puts another value in its place if the attribute must have one.
   *
   * @param placeholder that value
   * @param fillsOptional true to put it in the place of the last value of optional attributes, too
   */
  record Filled(Dn placeholder, boolean fillsOptional) implements LastReference {}
}
