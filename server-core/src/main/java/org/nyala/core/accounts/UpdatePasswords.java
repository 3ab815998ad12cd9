package org.nyala.core.accounts;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.session.Operation;

/**
 * The passwords of one add or modify on their way to the writer: compared, checked and hashed.
 *
 * <p>Confined to one running operation.
 */
public interface UpdatePasswords {
  /** Returns whether the request deletes passwords by their values. */
  boolean deletes();

  /**
   * Requires rights before any password is looked at, and finds out what the policy demands; once.
   *
   * @param isInTransaction true if the update is part of a transaction
   * @param earlier the requests before it in its transaction, about the same entry
   * @throws LdapOperationException to refuse the update
   */
  void begin(
      Operation operation, PasswordTarget target, boolean isInTransaction, List<Request> earlier)
      throws LdapOperationException;

  /** Returns whether a step takes long. */
  boolean isSlow();

  /** Returns whether every password is done. */
  boolean isDone();

  /**
   * Goes on with the next password, which is not done yet.
   *
   * @return false if the operation is parked, and not to be touched any more
   * @throws LdapOperationException to refuse the update
   */
  boolean step(Operation operation) throws LdapOperationException;

  /** Returns the request with what is to be stored instead of the passwords; once all are done. */
  Request request();

  /** Returns the policy that has looked at all new passwords; null for none. */
  @Nullable Dn checkedBy();

  /** Returns whether the client has proved the present password. */
  boolean provesOld();

  /** Returns whether a password that the client deletes was one of the entry. */
  boolean hasMatched();

  /** Gives back what is held; the operation has ended. Idempotent. */
  void close();
}
