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
  /** The answer to what a slice asks. */
  enum Step {
    /** The value is to be compared. */
    COMPARE,
    /** The operation is parked, and runs again. */
    PARKED,
    /** The result is known. */
    ANSWER
  }

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
   * Reserves the attempt, or goes on where the operation was parked.
   *
   * @throws LdapOperationException busy if too many wait for the same account, or were wrong;
   *     unavailable if the state of the account could not be written
   */
  Step goOn(Operation operation) throws LdapOperationException;

  /**
   * Ends the attempt.
   *
   * @param isEqual true if the value was equal
   * @throws LdapOperationException busy if too many updates wait
   */
  Step compared(Operation operation, boolean isEqual) throws LdapOperationException;

  /** Returns the result, with the response control if the client has asked for it. */
  LdapResult result(Operation operation);

  /** Ends an attempt of which nobody has learned anything. Idempotent. */
  void close();
}
