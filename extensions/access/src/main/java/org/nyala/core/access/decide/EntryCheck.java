package org.nyala.core.access.decide;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Group;

/**
 * A test of an entry that remains when the client and the name of the entry's parent are known.
 *
 * <p>Immutable.
 */
sealed interface EntryCheck {
  /** The entry's own RDN is this one. */
  record Is(Rdn rdn) implements EntryCheck {}

  /** The entry's own RDN begins so, and has one value. */
  record Begins(Rdn start) implements EntryCheck {}

  /** The entry matches the filter of this number. */
  record Matches(int filter) implements EntryCheck {}

  /**
   * The user is a member of a group.
   *
   * @param group the kind of group
   * @param before the name of the group, or what precedes the value of the entry's own RDN in it
   * @param after what follows that value; null if the name is complete without
   */
  record Member(Group group, String before, @Nullable String after) implements EntryCheck {}

  /** Anything: for what is not looked at closely. */
  enum Unknown implements EntryCheck {
    /** The only one. */
    UNKNOWN
  }
}
