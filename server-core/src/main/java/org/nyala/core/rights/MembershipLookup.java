package org.nyala.core.rights;

import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;

/**
 * Finds the groups of a client among those that the rules name, in slices, then decides the rules
 * for it. Begins anew if the groups change meanwhile so that the client may be in others.
 *
 * <p>Confined to one running operation; each slice has transactions of its own.
 */
public interface MembershipLookup {
  /**
   * Goes on.
   *
   * @param pace is asked after each look-up
   * @return the rules for the client; null if the slice is over
   * @throws LdapOperationException busy if the groups change more often than they can be read,
   *     adminLimitExceeded if the client is in more groups than are taken into account
   */
  @Nullable ClientRules go(Pace pace) throws LdapOperationException;
}
