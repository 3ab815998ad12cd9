package org.nyala.core.accounts;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;

/**
 * An add or a modify with passwords, as it is asked about before its turn.
 *
 * <p>Confined to one running operation.
 */
public interface PasswordTarget {
  Backend backend();

  /** Returns the name of the entry that gets the passwords. */
  Dn name();

  /** Returns whether the entry is the client's own. */
  boolean isOwn();

  /**
   * Begins to read the state of the store, which all that follows is about.
   *
   * @return true if access rules decide about the client
   */
  boolean begin(ReadTransaction transaction);

  /**
   * Requires the rights that the update needs, if access rules decide.
   *
   * @throws LdapOperationException to refuse it
   */
  void requireRights() throws LdapOperationException;

  /** Returns whether the client manages the passwords of the entry. */
  boolean managesPasswords() throws LdapOperationException;

  /**
   * Shows the entry: one of the store, or one that the update adds.
   *
   * @return the attributes of the view; null if there is no entry, or it gets no password
   */
  @Nullable AttributeTable show(EntryView view) throws LdapOperationException;
}
