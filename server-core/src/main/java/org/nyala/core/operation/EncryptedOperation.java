package org.nyala.core.operation;

import java.util.EnumSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.MinimumStrength;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.extended.StartTlsOperation;
import org.nyala.core.operation.update.StartTransaction;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.EnclosedOperation;
import org.nyala.extension.ExtendedKind;
import org.nyala.extension.Hooks;

/**
 * An operation that the configuration allows over connections of some strength only.
 *
 * <p>Confined to one running operation.
 */
final class EncryptedOperation extends EnclosedOperation {
  private final int requiredBits;
  private final String key;
  private boolean begun;

  private EncryptedOperation(OperationBody body, int requiredBits, String key) {
    super(body);
    this.requiredBits = requiredBits;
    this.key = key;
  }

  /** Returns hooks before all operations; none if each is allowed over every connection. */
  static Hooks hooks(OperationContext directory) {
    MinimumStrength minimum = directory.minimumStrength();
    Map<String, ExtendedKind> extended = directory.extensions().extended();
    return minimum.any() == 0 && minimum.write() == 0
        ? Hooks.NONE
        : Hooks.enclosing(
            EnumSet.allOf(OperationType.class),
            (request, body) -> of(minimum, extended, request, body));
  }

  private static OperationBody of(
      MinimumStrength minimum,
      Map<String, ExtendedKind> extended,
      Request request,
      OperationBody body) {
    int any = isExempt(request) ? 0 : minimum.any();
    int write = isWrite(request, extended) ? minimum.write() : 0;
    if (any == 0 && write == 0) {
      return body;
    }
    return write > any
        ? new EncryptedOperation(body, write, "write")
        : new EncryptedOperation(body, any, "any");
  }

  /**
   * Returns whether a client needs the request to encrypt the connection, to find out that it can,
   * or to end what it has begun.
   */
  private static boolean isExempt(Request request) {
    return switch (request) {
      case Request.Extended extended -> extended.oid().equals(StartTlsOperation.OID);
      case Request.Search search -> search.base().isEmpty() && search.scope() == Scope.BASE;
      case Request.Bind bind -> isOfLayers(bind.saslMechanism());
      case Request.Abandon _, Request.Unbind _ -> true;
      case Request.Add _,
          Request.Compare _,
          Request.Delete _,
          Request.Modify _,
          Request.ModifyDn _ ->
          false;
    };
  }

  /** A bind by Kerberos shows no secret, and may bring a layer that encrypts. */
  private static boolean isOfLayers(@Nullable String mechanism) {
    return mechanism != null && SaslMechanism.of(mechanism) == SaslMechanism.GSSAPI;
  }

  private static boolean isWrite(Request request, Map<String, ExtendedKind> further) {
    return switch (request) {
      case Request.Add _, Request.Delete _, Request.Modify _, Request.ModifyDn _ -> true;
      case Request.Extended extended ->
          switch (extended.oid()) {
            case AccountControl.PASSWORD_MODIFY, StartTransaction.OID -> true;
            default -> {
              ExtendedKind kind = further.get(extended.oid());
              yield kind != null && kind.isChange();
            }
          };
      case Request.Abandon _,
          Request.Bind _,
          Request.Compare _,
          Request.Search _,
          Request.Unbind _ ->
          false;
    };
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (!begun) {
      begun = true;
      if (operation.session().connection().strengthBits() < requiredBits) {
        throw new LdapOperationException(
            ResultCode.CONFIDENTIALITY_REQUIRED,
            "use StartTLS or ldaps: this needs encryption of "
                + requiredBits
                + " bits (security.minimumStrength."
                + key
                + ")");
      }
    }
    return body.run(operation, budget);
  }
}
