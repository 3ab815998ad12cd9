package org.nyala.core.operation.update;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.PreparedUpdate;
import org.nyala.core.update.UpdateContext;

/**
 * An update that is prepared again when the schema has changed before its turn.
 *
 * <p>Confined to one running operation.
 */
final class CurrentUpdate implements PreparedUpdate {
  private final OperationContext directory;
  private final Request request;
  private final Requester requester;
  private final RequestControls honoured;
  private PreparedUpdate prepared;

  CurrentUpdate(
      OperationContext directory,
      Request request,
      Requester requester,
      RequestControls honoured,
      PreparedUpdate prepared) {
    this.directory = directory;
    this.request = request;
    this.requester = requester;
    this.honoured = honoured;
    this.prepared = prepared;
  }

  /** Returns the request, with hashes in place of passwords in clear text. */
  Request request() {
    return request;
  }

  /** Returns whether the entry of a name is the one that it adds, deletes or modifies. */
  boolean isAbout(Dn name) {
    return prepared instanceof RuledUpdate ruled && ruled.name().equals(name);
  }

  @Override
  public Backend backend() {
    return prepared.backend();
  }

  @Override
  public boolean isComposite() {
    return prepared.isComposite();
  }

  @Override
  public boolean isAlone() {
    return prepared.isAlone();
  }

  @Override
  public LdapResult apply(UpdateContext context) throws LdapOperationException {
    OperationContext current = directory.current();
    if (current != directory) {
      requirePreparedFor(current);
      prepared.notCommitted();
      prepared = again(current);
    }
    return prepared.apply(context);
  }

  private PreparedUpdate again(OperationContext current) throws LdapOperationException {
    PreparedUpdate update =
        UpdateOperation.prepareBy(current, request, requester, honoured).go(Pace.UNBOUNDED);
    if (update == null) {
      throw new IllegalStateException("a pace without an end has ended");
    }
    return update;
  }

  /** Rules want passwords to be looked at before an update has its turn. */
  private void requirePreparedFor(OperationContext current) throws LdapOperationException {
    if (requester.isRuled(current) && !requester.isRuled(directory)) {
      throw new LdapOperationException(
          ResultCode.BUSY, "access rules have come into force meanwhile");
    }
  }

  @Override
  public @Nullable Dn changedPassword() {
    return prepared.changedPassword();
  }

  @Override
  public void committed() {
    prepared.committed();
  }

  @Override
  public void notCommitted() {
    prepared.notCommitted();
  }
}
