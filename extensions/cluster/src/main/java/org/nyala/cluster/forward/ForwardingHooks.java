package org.nyala.cluster.forward;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.operation.update.EndTransaction;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.Directory;
import org.nyala.extension.ExtendedKind;
import org.nyala.extension.Hooks;

/**
 * The place where a member of a cluster comes between requests and operations: before all else, so
 * that the leader does the whole of what is passed on.
 *
 * <p>Thread-safe.
 */
public final class ForwardingHooks implements Hooks {
  private static final Set<OperationType> TYPES =
      EnumSet.of(
          OperationType.ADD,
          OperationType.DELETE,
          OperationType.MODIFY,
          OperationType.MODIFY_DN,
          OperationType.EXTENDED,
          OperationType.SEARCH,
          OperationType.COMPARE);

  /** Asked when requests come: until then it may be one that only checks the configuration. */
  private final Directory directory;

  private final Forwarding forwarding;
  private final boolean isPassedOn;

  /**
   * Creates the hooks.
   *
   * @param isPassedOn true if changes are passed on; false if clients are referred to the leader,
   *     and only what the leader refuses is confirmed
   */
  public ForwardingHooks(Directory directory, Forwarding forwarding, boolean isPassedOn) {
    this.directory = directory;
    this.forwarding = forwarding;
    this.isPassedOn = isPassedOn;
  }

  @Override
  public Set<OperationType> encloses() {
    return TYPES;
  }

  @Override
  public OperationBody around(Request request, OperationBody body) {
    return switch (request) {
      case Request.Add _, Request.Delete _, Request.Modify _, Request.ModifyDn _ ->
          new ClusterChange(
              served(),
              forwarding,
              isPassedOn,
              body,
              control(request, ControlType.TRANSACTION) == null
                  ? ClusterChange.Kind.SINGLE
                  : ClusterChange.Kind.IN_TRANSACTION);
      case Request.Extended extended -> {
        ClusterChange.Kind kind = kind(extended);
        yield kind == null ? body : new ClusterChange(served(), forwarding, isPassedOn, body, kind);
      }
      case Request.Search _, Request.Compare _ ->
          control(request, ControlType.DONT_USE_COPY) == null
              ? body
              : new CurrentRead(forwarding, body);
      case Request.Bind _, Request.Unbind _, Request.Abandon _ -> body;
    };
  }

  private OperationContext served() {
    return (OperationContext) directory;
  }

  private ClusterChange.@Nullable Kind kind(Request.Extended extended) {
    if (extended.oid().equals(EndTransaction.OID)) {
      return ClusterChange.Kind.END_OF_TRANSACTION;
    }
    if (extended.oid().equals(AccountControl.PASSWORD_MODIFY)) {
      return ClusterChange.Kind.SINGLE;
    }
    ExtendedKind further = served().extensions().extended().get(extended.oid());
    return further == null || !further.isChange() ? null : ClusterChange.Kind.SINGLE;
  }

  private static @Nullable RequestControl control(Request request, ControlType type) {
    for (RequestControl control : request.controls()) {
      if (control.oid().equals(type.oid())) {
        return control;
      }
    }
    return null;
  }
}
