package org.nyala.core.access.decide;

import org.nyala.core.access.rule.Group;

/**
 * The memberships of one client in the groups of {@link CompiledRules#groups}, found beforehand.
 *
 * <p>Confined to the thread that asks.
 */
public interface GroupMemberships {
  /** The version of the groups: as long as it is the same, so are the memberships. Any thread. */
  long version();

  /** Returns whether the memberships are the same in a later version, for sure. Any thread. */
  default boolean isSameAt(long later) {
    return version() == later;
  }

  /** Returns the memory that is kept with them, in bytes. */
  default long bytes() {
    return 0;
  }

  /** Returns whether the client is a member of a group. */
  boolean isMember(Group group);
}
