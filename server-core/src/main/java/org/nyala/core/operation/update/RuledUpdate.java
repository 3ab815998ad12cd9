package org.nyala.core.operation.update;

import org.nyala.core.message.LdapOperationException;
import org.nyala.core.session.PreparedUpdate;

/**
 * An update whose rights can be asked for before its turn, when costly work is to be done for it.
 *
 * <p>Confined to one running operation.
 */
interface RuledUpdate extends PreparedUpdate {
  /** Returns whether referral objects are treated as ordinary entries. */
  boolean manageDsaIt();

  /**
   * Requires the rights that the update needs, as far as they are known before its turn, which asks
   * for all of them again.
   *
   * @throws LdapOperationException to refuse the update
   */
  void requireRights(UpdateRights rights) throws LdapOperationException;
}
