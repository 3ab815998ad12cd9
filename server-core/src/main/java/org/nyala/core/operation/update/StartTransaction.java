package org.nyala.core.operation.update;

import java.util.Set;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;

/**
 * Starts a transaction (RFC 5805, section 3.2), which belongs to the identity that the request acts
 * as (section 4.4).
 *
 * <p>Confined to one running operation.
 */
public final class StartTransaction implements OperationBody {
  public static final String OID = "1.3.6.1.1.21.1";

  public static final Set<ControlType> CONTROLS =
      Set.of(ControlType.PROXIED_AUTHORIZATION, ControlType.SESSION_TRACKING);

  private final OperationContext directory;
  private final Request.Extended request;

  public StartTransaction(OperationContext directory, Request.Extended request) {
    this.directory = directory;
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (request.value() != null) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "Start Transaction takes no value");
    }
    directory.updating().writeAccess().require(operation.identity());
    byte[] identifier =
        operation
            .session()
            .transactions()
            .start(
                operation,
                directory.limits().standing(),
                directory.runtime().transactions(),
                aborted -> TransactionMember.abortedForOthers(operation.session(), aborted));
    operation.sink().extendedResult(LdapResult.SUCCESS, null, identifier);
    return Outcome.DONE;
  }
}
