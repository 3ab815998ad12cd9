package org.nyala.core.operation;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.control.SessionTracking;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.ProxyRight;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.AuthorizationIds;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.operation.update.EndTransaction;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.EnclosedOperation;
import org.nyala.extension.Hooks;

/**
 * An operation with controls: controls that mean the same for every operation are handled here,
 * before it runs.
 *
 * <p>Confined to one running operation.
 */
final class ControlledOperation extends EnclosedOperation {
  private final OperationContext directory;
  private final SupportedControls supported;
  private boolean begun;
  private @Nullable ProxyRight acting;

  private ControlledOperation(
      OperationContext directory, SupportedControls supported, OperationBody body) {
    super(body);
    this.supported = supported;
    this.directory = directory;
  }

  /** Returns hooks before all operations with controls. */
  static Hooks hooks(OperationContext directory) {
    SupportedControls supported = new SupportedControls(directory.extensions());
    return Hooks.enclosing(
        EnumSet.allOf(OperationType.class),
        (request, body) ->
            request.controls().isEmpty()
                ? body
                : new ControlledOperation(directory, supported, body));
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (!begun) {
      begun = true;
      begin(operation);
    }
    ProxyRight asked = acting;
    if (asked != null) {
      if (!asked.go(new SlicePace(directory.nanoClock()).begin(operation, budget))) {
        return Outcome.YIELDED;
      }
      operation.actAs(asked.asked());
      acting = null;
    }
    return body.run(operation, budget);
  }

  private void begin(Operation operation) throws LdapOperationException {
    Request request = operation.request();
    checkProxied(request);
    RequestControls controls =
        RequestControls.read(
            request.controls(), supported.of(request), directory.limits().requests().controls());
    operation.honour(controls);
    SessionTracking tracking = SessionTracking.of(controls);
    if (tracking != null) {
      operation.track(tracking);
    }
    byte[] proxied = controls.value(ControlType.PROXIED_AUTHORIZATION);
    if (proxied != null) {
      int told = Math.min(proxied.length, BerReader.LONGEST_TEXT_BYTES);
      operation.openTrail().asked(new String(proxied, 0, told, StandardCharsets.UTF_8));
      operation.openTrail().actor(operation.identity());
      acting =
          new ProxyRight(
              directory,
              operation.identity(),
              operation.clientFacts(),
              AuthorizationIds.decode(directory, proxied));
    }
  }

  /**
   * A control that is not critical is refused even if it would be ignored (RFC 4370, section 3).
   */
  private static void checkProxied(Request request) throws LdapOperationException {
    List<RequestControl> controls = request.controls();
    for (int i = 0; i < controls.size(); i++) {
      RequestControl control = controls.get(i);
      if (!control.oid().equals(ControlType.PROXIED_AUTHORIZATION.oid())) {
        continue;
      }
      if (!control.critical()) {
        throw new LdapOperationException(
            ResultCode.PROTOCOL_ERROR, "proxied authorization must be critical");
      }
      if (request instanceof Request.Extended extended
          && extended.oid().equals(EndTransaction.OID)) {
        throw new LdapOperationException(
            ResultCode.PROTOCOL_ERROR, "a transaction has its identity from its start");
      }
    }
  }
}
