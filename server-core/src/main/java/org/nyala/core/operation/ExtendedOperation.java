package org.nyala.core.operation;

import java.nio.charset.StandardCharsets;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;

/** An extended operation (RFC 4511, section 4.12). Confined to one running operation. */
final class ExtendedOperation implements OperationBody {
  /** Who am I? (RFC 4532). */
  static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";

  private final Directory directory;
  private final Request.Extended request;

  ExtendedOperation(Directory directory, Request.Extended request) {
    this.directory = directory;
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    Controls.manageDsaIt(request.controls(), false, directory.limits().controls());
    if (!request.oid().equals(WHO_AM_I)) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "the extended operation is not known");
    }
    if (request.value() != null) {
      throw new LdapOperationException(ResultCode.PROTOCOL_ERROR, "Who am I? takes no value");
    }
    byte[] authorization = authorizationId(operation.identity()).getBytes(StandardCharsets.UTF_8);
    operation.sink().extendedResult(LdapResult.SUCCESS, null, authorization);
    return Outcome.DONE;
  }

  private static String authorizationId(BoundIdentity identity) {
    return identity.isAnonymous() ? "" : "dn:" + identity.dn();
  }
}
