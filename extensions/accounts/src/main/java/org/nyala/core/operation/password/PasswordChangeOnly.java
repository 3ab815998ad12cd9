package org.nyala.core.operation.password;

import java.util.List;
import java.util.Set;
import org.nyala.core.accounts.AccountControl;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.extended.CancelOperation;
import org.nyala.core.operation.extended.PasswordModifyRequest;
import org.nyala.core.operation.extended.StartTlsOperation;
import org.nyala.core.operation.extended.WhoAmIOperation;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.policy.PolicyResponse;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.extension.EnclosedOperation;

/**
 * An operation of a client that has to change its password before anything else
 * (draft-behera-ldap-password-policy-11, section 8.1.2.2): it may bind, encrypt the connection, ask
 * the root DSE what the server can do, and replace its own password.
 *
 * <p>Confined to one running operation.
 */
public final class PasswordChangeOnly extends EnclosedOperation {
  private static final Set<String> HARMLESS =
      Set.of(
          ControlType.PASSWORD_POLICY.oid(),
          ControlType.SESSION_TRACKING.oid(),
          ControlType.MANAGE_DSA_IT.oid());

  private final OperationContext directory;
  private final Request request;
  private boolean isAllowed;

  public PasswordChangeOnly(OperationContext directory, Request request, OperationBody body) {
    super(body);
    this.directory = directory;
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    if (!isAllowed) {
      isAllowed = isAllowed(operation.identity().dn());
      if (!isAllowed) {
        throw refusal();
      }
    }
    return body.run(operation, budget);
  }

  private boolean isAllowed(Dn own) throws LdapOperationException {
    return switch (request) {
      case Request.Bind _, Request.Unbind _, Request.Abandon _ -> true;
      case Request.Search search -> search.base().isEmpty() && search.scope() == Scope.BASE;
      case Request.Modify modify ->
          hasHarmlessControls()
              && isNewPassword(modify.changes())
              && directory.scratch().names.parse(modify.name()).equals(own);
      case Request.Extended extended -> isAllowed(extended, own);
      case Request.Add _, Request.Compare _, Request.Delete _, Request.ModifyDn _ -> false;
    };
  }

  private boolean isAllowed(Request.Extended extended, Dn own) throws LdapOperationException {
    return switch (extended.oid()) {
      case StartTlsOperation.OID, CancelOperation.OID, WhoAmIOperation.OID -> hasHarmlessControls();
      case AccountControl.PASSWORD_MODIFY -> {
        String user = PasswordModifyRequest.read(extended.reader()).user();
        yield hasHarmlessControls()
            && (user == null || PasswordModifyRequest.name(directory, user).equals(own));
      }
      default -> false;
    };
  }

  /** Returns whether changes give the entry a password in the end, and touch nothing else. */
  private static boolean isNewPassword(List<Request.Change> changes) {
    boolean isSet = false;
    for (Request.Change change : changes) {
      if (!SentPasswords.isNamed(change)) {
        return false;
      }
      isSet = change.kind() != SentPasswords.DELETE && !change.attribute().values().isEmpty();
    }
    return isSet;
  }

  /** Returns whether the request has no control by which it would read, test or act as another. */
  private boolean hasHarmlessControls() {
    return request.controls().stream().allMatch(each -> HARMLESS.contains(each.oid()));
  }

  private LdapOperationException refusal() {
    boolean isTold =
        request.controls().stream()
            .anyMatch(each -> each.oid().equals(ControlType.PASSWORD_POLICY.oid()));
    LdapResult result =
        LdapResult.of(
            ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
            "the password has to be changed before anything else");
    return new LdapOperationException(
        isTold
            ? result.with(List.of(PolicyResponse.of(PolicyError.CHANGE_AFTER_RESET).control()))
            : result,
        RefusalReason.MUST_CHANGE_PASSWORD);
  }
}
