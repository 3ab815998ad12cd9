package org.nyala.core.accounts;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Sequence;

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

  /** Returns whether passwords take long, or have to wait. */
  boolean isSlow();

  /**
   * Hashes the passwords at once, which takes next to no time.
   *
   * @throws LdapOperationException to refuse the update
   */
  void hash() throws LdapOperationException;

  /**
   * Compares, checks and hashes the passwords, one in each slice.
   *
   * @throws LdapOperationException to refuse the update
   */
  void hash(Sequence steps) throws LdapOperationException;

  /** Returns the request with what is to be stored instead of the passwords; once all are done. */
  Request request();

  /** Returns the policy that has looked at all new passwords; null for none. */
  @Nullable Dn checkedBy();

  /** Returns whether the client has proved the present password. */
  boolean provesOld();

  /** Returns whether a password that the client deletes was one of the entry. */
  boolean hasMatched();
}
