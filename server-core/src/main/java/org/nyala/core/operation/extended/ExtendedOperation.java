package org.nyala.core.operation.extended;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.update.EndTransaction;
import org.nyala.core.operation.update.StartTransaction;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.ExtendedKind;

/** Finds the body of an extended operation (RFC 4511, section 4.12). */
public final class ExtendedOperation {
  /** The operations that are supported in every configuration. */
  public static final List<String> OIDS =
      List.of(
          CancelOperation.OID,
          StartTransaction.OID,
          EndTransaction.OID,
          AccountControl.PASSWORD_MODIFY,
          WhoAmIOperation.OID);

  /** The wording of slapd: client libraries take other words for a protocol error. */
  public static final String UNSUPPORTED = "unsupported extended operation";

  private ExtendedOperation() {}

  /** The controls that an operation of every directory honours; none if it is unknown. */
  public static Set<ControlType> controls(String oid) {
    return switch (oid) {
      case WhoAmIOperation.OID -> WhoAmIOperation.CONTROLS;
      case CancelOperation.OID -> CancelOperation.CONTROLS;
      case StartTlsOperation.OID -> StartTlsOperation.CONTROLS;
      case AccountControl.PASSWORD_MODIFY -> AccountControl.PASSWORD_MODIFY_CONTROLS;
      case StartTransaction.OID -> StartTransaction.CONTROLS;
      case EndTransaction.OID -> EndTransaction.CONTROLS;
      default -> Set.of();
    };
  }

  /**
   * Returns the body that carries out the request; for an unknown operation, one that refuses it.
   */
  public static OperationBody of(OperationContext directory, Request.Extended request) {
    return switch (request.oid()) {
      case WhoAmIOperation.OID -> new WhoAmIOperation(request);
      case CancelOperation.OID -> new CancelOperation(request);
      case StartTlsOperation.OID -> new StartTlsOperation(request);
      case AccountControl.PASSWORD_MODIFY -> directory.accounts().modifyPassword(request);
      case StartTransaction.OID -> new StartTransaction(directory, request);
      case EndTransaction.OID -> new EndTransaction(directory, request);
      default -> {
        ExtendedKind kind = directory.extensions().extended().get(request.oid());
        yield kind == null ? unknown() : kind.body(directory, request);
      }
    };
  }

  /**
   * Returns the name of the entry that a request is about, as it is written there; null if it is
   * about none, or malformed.
   */
  public static @Nullable String target(OperationContext directory, Request.Extended request) {
    try {
      return switch (request.oid()) {
        case AccountControl.PASSWORD_MODIFY -> {
          String user = PasswordModifyRequest.read(request.reader()).user();
          yield user == null ? null : PasswordModifyRequest.name(directory, user).toString();
        }
        default -> {
          ExtendedKind kind = directory.extensions().extended().get(request.oid());
          yield kind == null ? null : kind.target(request);
        }
      };
    } catch (LdapOperationException _) {
      // The operation refuses it in its own words.
      return null;
    }
  }

  private static OperationBody unknown() {
    return (_, _) -> {
      throw new LdapOperationException(ResultCode.PROTOCOL_ERROR, UNSUPPORTED);
    };
  }
}
