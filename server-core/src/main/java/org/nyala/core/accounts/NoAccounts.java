package org.nyala.core.accounts;

import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.AccessPolicy;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RootAccount;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rules.RequestedChange;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.Directory;

/** A directory without accounts. Immutable. */
class NoAccounts implements AccountsService, AccountControl {
  @Override
  public AccountControl control(
      Directory directory, AccessPolicy access, Function<Dn, @Nullable Backend> stores) {
    return this;
  }

  @Override
  public void rootsChanged(List<RootAccount> roots) {}

  private static LdapOperationException refusal() {
    return new LdapOperationException(
        ResultCode.UNWILLING_TO_PERFORM, "the directory has no accounts: nothing has a password");
  }

  @Override
  public OperationBody bind(Request.Bind request) {
    boolean isAnonymous =
        request.saslMechanism() == null
            && request.name().isEmpty()
            && request.credentials().length == 0;
    return (operation, _) -> {
      if (!isAnonymous) {
        throw refusal();
      }
      operation.sink().bindResult(LdapResult.SUCCESS, null);
      return Outcome.DONE;
    };
  }

  @Override
  public OperationBody modifyPassword(Request.Extended request) {
    return (_, _) -> {
      throw refusal();
    };
  }

  @Override
  public OperationBody ofPasswordChange(Request request, OperationBody body) {
    return body;
  }

  @Override
  public Set<SaslMechanism> mechanisms(ClientConnection connection) {
    return Set.of();
  }

  @Override
  public @Nullable AttributeType computedPolicy() {
    return null;
  }

  @Override
  public @Nullable Dn policyOf(EntryView view, ReadTransaction transaction) {
    return null;
  }

  @Override
  public byte @Nullable [] usability(EntryView view, ReadTransaction transaction) {
    return null;
  }

  @Override
  public PasswordComparison compare(Dn name) throws LdapOperationException {
    throw refusal();
  }

  @Override
  public boolean replacesPassword(Request.Modify request) {
    return false;
  }

  @Override
  public boolean isOwnPassword(Request request, BoundIdentity identity) {
    return false;
  }

  @Override
  public Set<String> hashedBefore(Request request) {
    return Set.of();
  }

  @Override
  public @Nullable UpdatePasswords passwords(Request request, boolean always, boolean isRoot) {
    return null;
  }

  @Override
  public boolean concern(List<RequestedChange> changes) {
    return false;
  }

  @Override
  public List<AttributeChange> complete(
      PasswordClient client,
      ReadTransaction transaction,
      EntryView view,
      List<RequestedChange> requested,
      Entry after,
      List<AttributeChange> resolved) {
    return resolved;
  }

  @Override
  public void completeNew(
      PasswordClient client,
      ReadTransaction transaction,
      EntryView view,
      AttributeTable table,
      Entry complete) {}

  @Override
  public LdapResult told(LdapResult result, Operation operation) {
    return result;
  }
}
