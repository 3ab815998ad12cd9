package org.nyala.core.operation.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
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

  Dn name();

  /**
   * Returns whether the client manages the passwords of the entry, so that their policy demands
   * nothing of it.
   *
   * @param rights its rights by access rules; null if they do not decide
   */
  boolean managesPasswords(Requester client, @Nullable UpdateRights rights)
      throws LdapOperationException;

  /**
   * Shows the entry that gets passwords, as it is or, if the update adds it, as it is given.
   *
   * @param transaction the state that is read
   * @return the attributes of the view; null if there is no such entry, or it gets no password
   */
  @Nullable AttributeTable show(ReadTransaction transaction, EntryView view)
      throws LdapOperationException;
}
