package org.nyala.core.access.decide;

import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.entry.AttributeDescription;

/**
 * The thing about an entry that is asked for: the entry itself, its children, or an attribute.
 *
 * <p>Immutable.
 */
@FunctionalInterface
interface Subject {
  /** All that the rules at hand cover, which are those about what is asked for already. */
  Subject KNOWN = _ -> true;

  /** Returns whether it is among the attributes of a target. */
  boolean isIn(AttributeCover cover);

  static Subject of(Pseudo pseudo) {
    return cover -> cover.covers(pseudo);
  }

  static Subject of(AttributeDescription description) {
    return cover -> cover.covers(description);
  }
}
