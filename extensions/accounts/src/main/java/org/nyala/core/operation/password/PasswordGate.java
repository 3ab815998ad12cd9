package org.nyala.core.operation.password;

import java.util.List;
import org.nyala.core.backend.Backend;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.policy.AccountServices;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.session.Operation;

/**
 * The gate before the passwords of an entry in one operation that changes them: each password that
 * is looked at is an attempt of its own at the account, as in a bind.
 *
 * <p>Confined to one running operation.
 */
public final class PasswordGate {
  private final OperationContext directory;
  private final Operation operation;
  private final Backend backend;
  private final Dn name;
  private final PasswordSubject subject;
  private final long records;
  private final boolean isManaged;

  /**
   * Creates the gate of an entry as it was read.
   *
   * @param records the number of records of the attempts before that
   * @param isManaged true if the client manages the passwords of the entry: a lock does not keep it
   *     from deleting one, as it does not keep it from setting one
   */
  public PasswordGate(
      OperationContext directory,
      Operation operation,
      Backend backend,
      Dn name,
      PasswordSubject subject,
      long records,
      boolean isManaged) {
    this.directory = directory;
    this.operation = operation;
    this.backend = backend;
    this.name = name;
    this.subject = subject;
    this.records = records;
    this.isManaged = isManaged;
  }

  /** Returns the check of the present password, whichever of those of the entry it is. */
  public OldPassword ofPresent() {
    return open(subject.passwords(), subject.passwords(), OldPassword.Kind.PRESENT);
  }

  /**
   * Returns the check of a password against some that are stored.
   *
   * @param present those that the entry has where the password is deleted
   * @param stored those that are on disk, which are the same but in a transaction
   */
  OldPassword open(List<byte[]> present, List<byte[]> stored, OldPassword.Kind kind) {
    AccountGuard guard =
        AccountGuard.of(directory, backend, subject.entryId(), subject.standing(), records);
    boolean passesLock =
        isManaged && kind != OldPassword.Kind.PRESENT && guard != null && guard.wasLocked();
    return new OldPassword(directory, present, stored, passesLock ? null : guard, attempt(), kind);
  }

  /** Returns an attempt that has not begun. */
  public PasswordAttempt attempt() {
    return AccountServices.of(directory).attempt(operation, name.normalized());
  }
}
