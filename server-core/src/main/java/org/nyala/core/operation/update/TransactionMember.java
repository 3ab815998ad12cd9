package org.nyala.core.operation.update;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.limits.ServerLimits.StandingLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.OpenTransactions;
import org.nyala.core.session.Operation;
import org.nyala.core.session.PreparedUpdate;
import org.nyala.core.session.Session;

/** The handling of an update that is part of a transaction (RFC 5805, section 3.3). */
public final class TransactionMember {
  private static final String ABORTED_NOTICE = "1.3.6.1.1.21.4";

  /** The approximate memory of a value or an attribute beside its bytes. */
  private static final int OVERHEAD_BYTES = 64;

  private TransactionMember() {}

  /**
   * Returns the identifier of the transaction to which a request belongs, or null.
   *
   * @throws LdapOperationException protocolError if it violates section 2.2 or 4.4;
   *     unwillingToPerform for a request that cannot be part of one
   */
  public static byte @Nullable [] transactionId(List<RequestControl> controls)
      throws LdapOperationException {
    if (controls.isEmpty()) {
      return null;
    }
    RequestControl found = control(controls, ControlType.TRANSACTION);
    if (found == null) {
      return null;
    }
    byte[] identifier = found.value();
    if (!found.critical() || identifier == null) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "the transaction control is critical and has a value");
    }
    if (control(controls, ControlType.PROXIED_AUTHORIZATION) != null) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "a transaction has one authorization identity");
    }
    if (control(controls, ControlType.NO_OP) != null) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM, "part of a transaction cannot be left out");
    }
    return identifier;
  }

  /** Takes the place of an update in its transaction as it arrives; null if it has none. */
  public static OpenTransactions.@Nullable Place arrive(Operation operation) {
    List<RequestControl> controls = operation.request().controls();
    RequestControl found = controls.isEmpty() ? null : control(controls, ControlType.TRANSACTION);
    byte[] identifier = found == null ? null : found.value();
    return identifier == null ? null : operation.session().transactions().arrive(identifier, false);
  }

  private static @Nullable RequestControl control(List<RequestControl> controls, ControlType type) {
    for (RequestControl control : controls) {
      if (control.oid().equals(type.oid())) {
        return control;
      }
    }
    return null;
  }

  /**
   * Defers an update to the end of its transaction.
   *
   * @param place its place there; null if there is no such transaction
   * @param kept the bytes that were taken for its compiled assertion
   * @throws LdapOperationException to refuse it; adminLimitExceeded or busy if that ends the
   *     transaction, of which the client gets a notice
   */
  public static void enlist(
      OperationContext directory,
      Operation operation,
      byte[] identifier,
      OpenTransactions.@Nullable Place place,
      PreparedUpdate update,
      long kept)
      throws LdapOperationException {
    StandingLimits limits = directory.limits().standing();
    Request request = operation.request();
    LdapResult refusal =
        operation
            .session()
            .transactions()
            .enlist(
                place,
                new OpenTransactions.Member(request.messageId(), update),
                length(request),
                kept,
                limits);
    if (refusal != null) {
      operation.session().sendNotice(refusal, ABORTED_NOTICE, identifier);
      throw new LdapOperationException(refusal);
    }
  }

  /** Tells the client that its transaction was discarded, because another has taken its place. */
  static void abortedForOthers(Session session, byte[] identifier) {
    session.metrics().displaced().increment();
    session.sendNotice(
        LdapResult.of(ResultCode.BUSY, "the transaction makes way for those of others"),
        ABORTED_NOTICE,
        identifier);
  }

  private static long length(Request request) {
    return OVERHEAD_BYTES
        + controlsLength(request.controls())
        + switch (request) {
          case Request.Add add -> {
            long length = length(add.name());
            for (Request.AttributeValues attribute : add.attributes()) {
              length += length(attribute);
            }
            yield length;
          }
          case Request.Modify modify -> {
            long length = length(modify.name());
            for (Request.Change change : modify.changes()) {
              length += length(change.attribute());
            }
            yield length;
          }
          case Request.Delete delete -> length(delete.name());
          case Request.ModifyDn modifyDn -> {
            String superior = modifyDn.newSuperior();
            yield length(modifyDn.name())
                + length(modifyDn.newRdn())
                + (superior == null ? 0 : length(superior));
          }
          case Request.Bind _,
              Request.Unbind _,
              Request.Search _,
              Request.Compare _,
              Request.Abandon _,
              Request.Extended _ ->
              0;
        };
  }

  /** Twice the values: their decoded form, such as a filter, is kept beside them. */
  private static long controlsLength(List<RequestControl> controls) {
    long length = 0;
    for (RequestControl control : controls) {
      byte[] value = control.value();
      length += OVERHEAD_BYTES + length(control.oid()) + (value == null ? 0 : 2L * value.length);
    }
    return length;
  }

  private static long length(Request.AttributeValues attribute) {
    long length = OVERHEAD_BYTES + length(attribute.attribute());
    for (byte[] value : attribute.values()) {
      length += OVERHEAD_BYTES + value.length;
    }
    return length;
  }

  private static long length(String text) {
    return 2L * text.length();
  }
}
