package org.nyala.core.operation.extended;

import java.util.Set;
import org.nyala.core.control.ControlType;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;

/** Returns the identity of the client (RFC 4532). Confined to one running operation. */
public final class WhoAmIOperation implements OperationBody {
  public static final String OID = "1.3.6.1.4.1.4203.1.11.3";

  static final Set<ControlType> CONTROLS =
      Set.of(ControlType.PROXIED_AUTHORIZATION, ControlType.SESSION_TRACKING);

  private final Request.Extended request;

  WhoAmIOperation(Request.Extended request) {
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (request.value() != null) {
      throw new LdapOperationException(ResultCode.PROTOCOL_ERROR, "Who am I? takes no value");
    }
    byte[] authorization = AuthorizationIds.encode(operation.identity());
    operation.sink().extendedResult(LdapResult.SUCCESS, null, authorization);
    return Outcome.DONE;
  }
}
