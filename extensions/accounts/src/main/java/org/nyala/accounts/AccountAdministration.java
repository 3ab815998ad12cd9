package org.nyala.accounts;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.ContextRef;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.password.AdministeredAccount;
import org.nyala.core.policy.AccountAction;
import org.nyala.core.policy.AccountKind;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AccountStatus;
import org.nyala.core.policy.AttemptGate;
import org.nyala.core.policy.PolicyReader;

/**
 * The accounts of a directory as administrators see and change them.
 *
 * <p>Thread-safe. Blocks: for threads of management, not for those that run operations.
 */
public final class AccountAdministration {
  private final ContextRef current;

  /**
   * Creates the view of a directory that has accounts.
   *
   * @param current holds the directory that operations begin with
   */
  public AccountAdministration(ContextRef current) {
    this.current = current;
  }

  /** Returns the state of an account; null if there is no such entry. */
  public @Nullable AccountStatus show(Dn name) {
    OperationContext directory = current.get();
    Backend backend = directory.contexts().backendOf(name);
    if (backend == null) {
      return null;
    }
    PolicyReader.Standing standing;
    AttemptGate.Key key;
    try (ReadTransaction transaction = backend.beginRead()) {
      EntryView view = new EntryView();
      long id = transaction.find(name);
      if (id == ReadTransaction.NO_ENTRY || !transaction.read(id, view)) {
        return null;
      }
      standing = PolicyReader.of(directory).read(view, transaction);
      key = new AttemptGate.Key(backend, id);
    }
    AttemptGate.Due due = AccountRuntime.of(directory).attempts().due(key);
    return AccountStatus.of(standing, due, directory.updating().instant());
  }

  /**
   * Changes the state of an account; returns once that is on disk. {@code modifiersName} and {@code
   * modifyTimestamp} stay.
   *
   * @throws LdapOperationException noSuchObject; unwillingToPerform if the server is read-only or
   *     the change would have no effect; busy or unavailable if it could not be written
   */
  public void change(AccountAction action, Dn name) throws LdapOperationException {
    OperationContext directory = current.get();
    Backend backend = directory.contexts().backendOf(name);
    if (backend == null) {
      throw new LdapOperationException(ResultCode.NO_SUCH_OBJECT, "there is no such entry");
    }
    if (directory.updating().isClosed()) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "the server does not change data (readOnly)");
    }
    new AdministeredAccount(directory, backend, name, action).await();
  }

  /**
   * Finds accounts of a kind, in the order in which stores hold them. An index on the attribute
   * that the kind is known by is used.
   *
   * @param within the time of {@link AccountKind#EXPIRING} and {@link AccountKind#IDLE}
   * @param most the maximum number
   * @param longest the longest time that the search may take
   */
  public AccountList list(AccountKind kind, Duration within, int most, Duration longest) {
    return new AccountScan(current.get(), kind, within, most, longest).run();
  }
}
