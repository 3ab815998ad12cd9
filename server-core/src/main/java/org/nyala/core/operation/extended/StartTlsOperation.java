package org.nyala.core.operation.extended;

import java.util.Set;
import org.nyala.core.control.ControlType;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;

/**
 * Encrypts the connection with TLS (RFC 4511, section 4.14). The session is anonymous afterwards,
 * and what it has begun is lost.
 *
 * <p>Confined to one running operation.
 */
public final class StartTlsOperation implements OperationBody {
  public static final String OID = "1.3.6.1.4.1.1466.20037";

  static final Set<ControlType> CONTROLS = Set.of(ControlType.SESSION_TRACKING);

  private final Request.Extended request;

  StartTlsOperation(Request.Extended request) {
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) {
    ClientConnection connection = operation.session().connection();
    LdapResult result = result(operation, connection);
    operation.sink().extendedResult(result, OID, null);
    if (result.code() == ResultCode.SUCCESS) {
      connection.startTls();
    }
    return Outcome.DONE;
  }

  private LdapResult result(Operation operation, ClientConnection connection) {
    if (request.value() != null) {
      return LdapResult.of(ResultCode.PROTOCOL_ERROR, "StartTLS takes no value");
    }
    if (operation.session().openCount() > 1) {
      return LdapResult.of(ResultCode.OPERATIONS_ERROR, "other operations are under way");
    }
    return connection.mayStartTls();
  }
}
