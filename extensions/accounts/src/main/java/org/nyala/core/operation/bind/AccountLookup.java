package org.nyala.core.operation.bind;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.ClientView;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.ServerSelectors;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.password.AccountGuard;
import org.nyala.core.operation.password.PasswordUpgrade;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;
import org.nyala.core.session.Operation;

/**
 * The entry of a name that a client claims, as far as logins need it.
 *
 * <p>Immutable.
 *
 * @param owner the identity by the entry's own name
 * @param account the entry as an account
 * @param values the passwords as they are stored
 * @param hashes the same, in the same order
 * @param mayAuthenticate true if the client has the right to prove a password of it
 */
record AccountLookup(
    BoundIdentity owner,
    AccountGuard.Account account,
    List<byte[]> values,
    List<PasswordHash> hashes,
    boolean mayAuthenticate) {

  /**
   * Returns the entry of a name; null if there is none.
   *
   * @param operation the bind, whose client needs the right to prove a password, by access rules
   *     that see it as it is during its bind: without a name
   */
  static @Nullable AccountLookup of(OperationContext directory, Operation operation, Dn name)
      throws LdapOperationException {
    Backend backend = directory.contexts().backendOf(name);
    if (backend == null) {
      return null;
    }
    AccessControl control = directory.control();
    EntryRights rights =
        control == null
            ? null
            : control.rightsBy(
                requireNonNull(operation.rules(), "no rules were decided for a bind"));
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
      @Nullable EntryRights rights,
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
    AttributeSelector password = directory.reading().selectors().userPassword();
    List<byte[]> values =
        ServerSelectors.values(view, transaction.attributes(), password, scratch.values);
    List<PasswordHash> hashes = hashes(AccountRuntime.of(directory), name, values);
    BoundIdentity owner = new BoundIdentity(asStored(scratch, view, name), false);
    boolean mayAuthenticate = true;
    if (rights != null) {
      rights.beginSlice(backend, transaction);
      mayAuthenticate = password != null && include(directory, rights, password, transaction, view);
    }
    PolicyReader.Standing standing =
        mayAuthenticate
            ? PolicyReader.of(directory).read(view, transaction)
            : PolicyReader.Standing.NONE;
    AccountGuard.Account account = new AccountGuard.Account(backend, id, standing, records);
    return new AccountLookup(owner, account, values, hashes, mayAuthenticate);
  }

  private static List<PasswordHash> hashes(AccountRuntime accounts, Dn name, List<byte[]> values) {
    if (values.size() == 1) {
      return List.of(accounts.password(name, values.getFirst()));
    }
    List<PasswordHash> hashes = new ArrayList<>(values.size());
    for (byte[] value : values) {
      hashes.add(accounts.password(name, value));
    }
    return hashes;
  }

  /** The name in the entry's own spelling, however the client wrote it. */
  private static Dn asStored(OperationScratch scratch, EntryView view, Dn name)
      throws LdapOperationException {
    return view.isPresentedAs(name.raw())
        ? name
        : scratch.names.parse(new String(view.dn(), StandardCharsets.UTF_8));
  }

  /**
   * Returns whether the client may prove a password of an entry: {@code authenticate} is needed on
   * {@code userPassword}, and on every attribute of the entry that descends from it. Rules for
   * values have no say: those that are stored are hashes.
   */
  private static boolean include(
      OperationContext directory,
      EntryRights rights,
      AttributeSelector password,
      ReadTransaction transaction,
      EntryView entry)
      throws LdapOperationException {
    StoredEntryFacts facts = directory.probe(transaction);
    Profile profile = rights.atOnce(entry, transaction.attributes(), facts);
    facts.requireComplete();
    boolean isGranted = isGranted(profile, password.description());
    for (int i = 0; isGranted && i < entry.attributeCount(); i++) {
      int id = entry.attributeId(i);
      isGranted =
          !password.selects(transaction.attributes(), id)
              || isGranted(profile, transaction.attributes().description(id));
    }
    return isGranted;
  }

  private static boolean isGranted(Profile profile, AttributeDescription password) {
    return Rights.has(profile.rights(password), Right.AUTHENTICATE);
  }

  /** Returns the reason why no password proves the entry; null if one may. */
  @Nullable RefusalReason uselessness() {
    if (!mayAuthenticate) {
      return RefusalReason.MAY_NOT_AUTHENTICATE;
    }
    for (PasswordHash hash : hashes) {
      if (hash.isUsable()) {
        return null;
      }
    }
    return hashes.isEmpty() ? RefusalReason.NO_PASSWORD : RefusalReason.NO_USABLE_PASSWORD;
  }

  /** Returns the entry as one whose passwords are remembered. */
  RememberedPasswords.Account remembered() {
    return new RememberedPasswords.Account(
        account.backend(), account.entryId(), owner.dn().normalized());
  }

  /** Returns a password as it is stored, in order to replace it. */
  PasswordUpgrade.Origin origin(int index) {
    return new PasswordUpgrade.Origin(
        account.backend(), owner.dn(), account.entryId(), values.get(index));
  }
}
