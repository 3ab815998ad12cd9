package org.nyala.core.operation.bind;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.ServerSelectors;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.password.AccountGuard;
import org.nyala.core.operation.password.PasswordUpgrade;
import org.nyala.core.operation.password.PolicyLogin;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.session.Operation;

/**
 * The entry of a name that a client claims, as far as logins need it.
 *
 * <p>Immutable, but for the guard and the login, which are confined to one running operation.
 *
 * @param owner the identity by the entry's own name
 * @param backend the store that holds it
 * @param name the name as the client has sent it
 * @param entryId its id
 * @param values the passwords as they are stored
 * @param hashes the same, in the same order
 * @param mayAuthenticate true if the client has the right to prove a password of it
 * @param guard the guard of the account; null if nothing is to be guarded
 * @param login the part that its policy has in logins; null if it has none
 */
record AccountLookup(
    BoundIdentity owner,
    Backend backend,
    Dn name,
    long entryId,
    List<byte[]> values,
    List<PasswordHash> hashes,
    boolean mayAuthenticate,
    @Nullable AccountGuard guard,
    @Nullable PolicyLogin login) {

  /**
   * Returns the entry of a name; null if there is none.
   *
   * @param operation the bind, whose client needs the right to prove a password
   */
  static @Nullable AccountLookup of(OperationContext directory, Operation operation, Dn name)
      throws LdapOperationException {
    Backend backend = directory.contexts().backendOf(name);
    if (backend == null) {
      return null;
    }
    AccessControl control = directory.control();
    AuthenticationRights rights =
        control == null ? null : new AuthenticationRights(directory, control, operation);
    long records = AccountRuntime.of(directory).attempts().records();
    try (ReadTransaction transaction = backend.beginRead()) {
      return in(directory, rights, name, backend, transaction, records);
    } catch (LdapOperationException e) {
      // A client with a password is never referred elsewhere (RFC 3296, section 5.6.1).
      if (e.result().code() == ResultCode.NO_SUCH_OBJECT
          || e.result().code() == ResultCode.REFERRAL) {
        return null;
      }
      throw e;
    }
  }

  private static @Nullable AccountLookup in(
      OperationContext directory,
      @Nullable AuthenticationRights rights,
      Dn name,
      Backend backend,
      ReadTransaction transaction,
      long records)
      throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    ClientView known = ClientView.ofServer(directory, transaction, false);
    long id = known.find(name);
    EntryView view = scratch.view;
    if (!known.show(id)) {
      return null;
    }
    List<byte[]> values = passwords(directory, transaction, view);
    List<PasswordHash> hashes = new ArrayList<>(values.size());
    for (byte[] value : values) {
      hashes.add(AccountRuntime.of(directory).password(name, value));
    }
    BoundIdentity owner = new BoundIdentity(asStored(scratch, view, name), false);
    boolean mayAuthenticate = rights == null || rights.include(backend, transaction, view);
    PolicyReader.Standing standing =
        mayAuthenticate
            ? PolicyReader.of(directory).read(view, transaction)
            : PolicyReader.Standing.NONE;
    return new AccountLookup(
        owner,
        backend,
        name,
        id,
        values,
        hashes,
        mayAuthenticate,
        AccountGuard.of(directory, backend, id, standing, records),
        PolicyLogin.of(directory, backend, id, standing));
  }

  private static List<byte[]> passwords(
      OperationContext directory, ReadTransaction transaction, EntryView view) {
    return ServerSelectors.values(
        view,
        transaction.attributes(),
        directory.reading().selectors().userPassword(),
        directory.scratch().values);
  }

  /** The name in the entry's own spelling, however the client wrote it. */
  private static Dn asStored(OperationScratch scratch, EntryView view, Dn name)
      throws LdapOperationException {
    byte[] stored = view.dn();
    return Arrays.equals(stored, name.raw())
        ? name
        : scratch.names.parse(new String(stored, StandardCharsets.UTF_8));
  }

  /** Returns the entry as one whose passwords are remembered. */
  RememberedPasswords.Account remembered() {
    return new RememberedPasswords.Account(backend, entryId, owner.dn().normalized());
  }

  /** Returns a password as it is stored, in order to replace it. */
  PasswordUpgrade.Origin origin(int index) {
    return new PasswordUpgrade.Origin(backend, name, entryId, values.get(index));
  }
}
