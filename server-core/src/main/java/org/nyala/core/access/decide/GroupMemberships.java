package org.nyala.core.access.decide;

import org.nyala.core.access.rule.Group;

/**
 * The memberships of one client in the groups of {@link CompiledRules#groups}, found beforehand.
 *
 * <p>Confined to the thread that asks.
 */
public interface GroupMemberships {
  /** The version of the groups: as long as it is the same, so are the memberships. */
  long version();

  /** Returns whether the client is a member of a group. */
  boolean isMember(Group group);
}
