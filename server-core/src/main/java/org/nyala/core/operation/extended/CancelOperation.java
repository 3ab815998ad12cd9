package org.nyala.core.operation.extended;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.control.ControlType;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;

/**
 * Ends another operation of the connection with an answer (RFC 3909), and is itself answered when
 * that one has ended.
 *
 * <p>Confined to one running operation, on the event loop.
 */
public final class CancelOperation implements OperationBody {
  public static final String OID = "1.3.6.1.1.8";

  static final Set<ControlType> CONTROLS = Set.of(ControlType.SESSION_TRACKING);

  private final Request.Extended request;

  CancelOperation(Request.Extended request) {
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (operation.session().cancel(cancelId(request.reader()), operation)) {
      return Outcome.PARKED;
    }
    operation.sink().result(request, LdapResult.SUCCESS);
    return Outcome.DONE;
  }

  /** The message id in {@code SEQUENCE { cancelID MessageID }}. */
  public static int cancelId(@Nullable BerReader reader) throws LdapOperationException {
    if (reader == null) {
      throw new LdapOperationException(ResultCode.PROTOCOL_ERROR, "Cancel needs a message id");
    }
    try {
      BerReader sequence = reader.sequence();
      int messageId = sequence.integer();
      sequence.skipExtensions();
      reader.requireEnd();
      return messageId;
    } catch (InvalidBerException e) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "the value of Cancel: " + e.getMessage());
    }
  }
}
