package org.nyala.core.accounts;

import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.session.Operation;

/**
 * The compare of a password, which is an attempt like a bind.
 *
 * <p>Confined to one running operation. One that is parked by a call is not touched after it.
 */
public interface PasswordComparison {
  /**
   * Takes the account as it is, once, whose password the client may compare.
   *
   * @param view shows its entry
   */
  void open(
      Operation operation,
      Backend backend,
      long entryId,
      EntryView view,
      ReadTransaction transaction);

  /**
   * Reserves the attempt, once.
   *
   * @return false if the operation is parked
   * @throws LdapOperationException busy if too many wait for the same account, or were wrong
   */
  boolean begin(Operation operation) throws LdapOperationException;

  /** Returns whether the value is not to be looked at: the result is known. */
  boolean isKnown();

  /**
   * Ends the attempt, or goes on to end it.
   *
   * @param isEqual true if the value was equal; of no account if the result is known
   * @return false if the operation is parked
   * @throws LdapOperationException unavailable if the state of the account could not be written
   */
  boolean end(Operation operation, boolean isEqual) throws LdapOperationException;

  /** Returns the result, with the response control if the client has asked for it. */
  LdapResult result(Operation operation);

  /** Ends an attempt of which nobody has learned anything. Idempotent. */
  void close();
}
