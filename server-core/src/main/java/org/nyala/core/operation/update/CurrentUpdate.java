package org.nyala.core.operation.update;

import org.nyala.core.access.BoundIdentity;
import org.nyala.core.backend.Backend;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
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
  private final BoundIdentity identity;
  private final RequestControls honoured;
  private PreparedUpdate prepared;

  CurrentUpdate(
      OperationContext directory,
      Request request,
      BoundIdentity identity,
      RequestControls honoured,
      PreparedUpdate prepared) {
    this.directory = directory;
    this.request = request;
    this.identity = identity;
    this.honoured = honoured;
    this.prepared = prepared;
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
      prepared = UpdateOperation.prepareBy(current, request, identity, honoured);
    }
    return prepared.apply(context);
  }

  @Override
  public void committed() {
    prepared.committed();
  }
}
