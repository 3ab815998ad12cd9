package org.nyala.accounts;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.accounts.PasswordClient;
import org.nyala.core.accounts.PasswordComparison;
import org.nyala.core.accounts.SharedAccounts;
import org.nyala.core.accounts.UpdatePasswords;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.operation.bind.BindOperation;
import org.nyala.core.operation.bind.SaslOffer;
import org.nyala.core.operation.password.ClearPasswords;
import org.nyala.core.operation.password.ComparedPassword;
import org.nyala.core.operation.password.PassedRecord;
import org.nyala.core.operation.password.PasswordChangeOnly;
import org.nyala.core.operation.password.PasswordModifyOperation;
import org.nyala.core.operation.password.PasswordSubject;
import org.nyala.core.operation.password.PolicedChange;
import org.nyala.core.operation.password.PolicyRefusal;
import org.nyala.core.operation.password.SentPasswords;
import org.nyala.core.operation.password.UsabilityValue;
import org.nyala.core.policy.AccountRuntime;
import org.nyala.core.policy.AccountServices;
import org.nyala.core.policy.PolicyReader;
import org.nyala.core.rules.RequestedChange;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;

/**
 * Accounts under one schema and one policy.
 *
 * <p>Thread-safe.
 */
final class PolicedControl extends AccountServices {
  private final OperationContext directory;

  PolicedControl(
      OperationContext directory,
      AccountRuntime lasting,
      AccessPolicy access,
      Function<Dn, @Nullable Backend> stores) {
    super(lasting, directory.schema(), access, stores);
    this.directory = directory;
  }

  @Override
  public OperationBody bind(Request.Bind request) {
    return new BindOperation(directory, request);
  }

  @Override
  public OperationBody modifyPassword(Request.Extended request) {
    return new PasswordModifyOperation(directory, request);
  }

  @Override
  public OperationBody ofPasswordChange(Request request, OperationBody body) {
    return new PasswordChangeOnly(directory, request, body);
  }

  @Override
  public SharedAccounts shared() {
    return new Shared();
  }

  /** The accounts as other servers with the same store see them. Thread-safe. */
  private final class Shared implements SharedAccounts {
    @Override
    public CompletionStage<byte[]> record(Backend store, byte[] form) {
      return PassedRecord.begin(directory.current(), store, form);
    }

    @Override
    public byte @Nullable [] takeGuesses() {
      return PolicedControl.this.takeGuesses();
    }

    @Override
    public void learn(byte[] guesses) {
      PolicedControl.this.learn(guesses);
    }
  }

  @Override
  public Set<SaslMechanism> mechanisms(ClientConnection connection) {
    return SaslOffer.of(directory, connection);
  }

  @Override
  public byte[] usability(EntryView view, ReadTransaction transaction) {
    PolicyReader.Standing standing = PolicyReader.of(directory).read(view, transaction);
    return UsabilityValue.of(standing.policy(), standing.state(), directory.updating().instant());
  }

  @Override
  public PasswordComparison compare(Dn name) {
    return new ComparedPassword(directory, name);
  }

  @Override
  public boolean replacesPassword(Request.Modify request) {
    return SentPasswords.replacesOne(request);
  }

  @Override
  public boolean isOwnPassword(Request request, BoundIdentity identity)
      throws LdapOperationException {
    return SentPasswords.isOwn(directory, request, identity);
  }

  @Override
  public Set<String> hashedBefore(Request request) throws LdapOperationException {
    return SentPasswords.hashedBefore(directory.schema(), request);
  }

  @Override
  public @Nullable UpdatePasswords passwords(Request request, boolean always, boolean isRoot) {
    return ClearPasswords.in(directory, request, always, isRoot);
  }

  @Override
  public boolean concern(List<RequestedChange> changes) {
    return PolicedChange.concerns(changes);
  }

  @Override
  public List<AttributeChange> complete(
      PasswordClient client,
      ReadTransaction transaction,
      EntryView view,
      List<RequestedChange> requested,
      Entry after,
      List<AttributeChange> resolved)
      throws LdapOperationException {
    PasswordSubject subject =
        PasswordSubject.read(directory, view, transaction.attributes(), transaction);
    return PolicedChange.of(directory, subject, client, resolved).complete(requested, after);
  }

  @Override
  public void completeNew(
      PasswordClient client,
      ReadTransaction transaction,
      EntryView view,
      AttributeTable table,
      Entry complete)
      throws LdapOperationException {
    PasswordSubject subject = PasswordSubject.read(directory, view, table, transaction);
    PolicedChange.of(directory, subject, client, List.of()).completeNew(complete);
  }

  @Override
  public LdapResult told(LdapResult result, Operation operation) {
    return PolicyRefusal.told(result, operation);
  }
}
