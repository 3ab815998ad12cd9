package org.nyala.core.operation;

import java.util.EnumSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.operation.extended.ExtendedOperation;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.EnclosedOperation;
import org.nyala.extension.Hooks;

/**
 * An operation of a client that may be a root account of single naming contexts: it acts as root if
 * all names of the request are in these, which is decided before the operation runs.
 *
 * <p>Confined to one running operation.
 */
final class ActingOperation extends EnclosedOperation {
  private final OperationContext directory;
  private final Request request;
  private boolean isDecided;

  private ActingOperation(OperationContext directory, Request request, OperationBody body) {
    super(body);
    this.directory = directory;
    this.request = request;
  }

  /** Returns hooks before all operations; none if there are no such accounts. */
  static Hooks hooks(OperationContext directory) {
    return directory.roots().isConfined()
        ? Hooks.enclosing(
            EnumSet.allOf(OperationType.class),
            (request, body) -> new ActingOperation(directory, request, body))
        : Hooks.NONE;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (!isDecided) {
      isDecided = true;
      operation.actWith(acting(operation.identity()));
    }
    return body.run(operation, budget);
  }

  private BoundIdentity acting(BoundIdentity identity) {
    if (!(request instanceof Request.Extended extended)) {
      return directory.roots().acting(directory, identity, request);
    }
    @Nullable String target =
        identity.isRootAccount() ? ExtendedOperation.target(directory, extended) : null;
    return target == null ? identity : directory.roots().acting(directory, identity, target);
  }
}
