package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;

/**
 * A bind (RFC 4511, section 4.2; RFC 4513, section 5).
 *
 * <p>Confined to one running operation. A name that does not exist, one without a password and a
 * wrong password get the same answer after the same work.
 */
public final class BindOperation implements OperationBody {
  private static final int PROTOCOL_VERSION = 3;

  /** The wording of slapd: client libraries rely on it, as the code alone is ambiguous. */
  private static final String UNAUTHENTICATED =
      "unauthenticated bind (DN with no password) disallowed";

  private final OperationContext directory;
  private final Request.Bind request;
  private RequestControls controls = RequestControls.NONE;
  private @Nullable ClaimedIdentity claimed;
  private @Nullable SaslBind sasl;

  public BindOperation(OperationContext directory, Request.Bind request) {
    this.directory = directory;
    this.request = request;
  }

  @Override
  public Outcome run(Operation operation, SliceBudget budget) throws LdapOperationException {
    controls = operation.controls();
    if (request.version() != PROTOCOL_VERSION) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "only LDAP version 3 is spoken here");
    }
    String mechanism = request.saslMechanism();
    try {
      return mechanism == null ? runSimple(operation) : runSasl(operation, budget, mechanism);
    } catch (LdapOperationException e) {
      throw new BindResponses(directory, controls).told(e);
    }
  }

  private Outcome runSimple(Operation operation) throws LdapOperationException {
    ClaimedIdentity begun = claimed;
    if (begun != null) {
      return answer(operation, begun);
    }
    check(operation);
    if (request.name().isEmpty()) {
      return succeed(operation, BoundIdentity.ANONYMOUS, LoginVerdict.FREE, null);
    }
    ClaimedIdentity started =
        ClaimedIdentity.of(directory, operation, directory.scratch().names.parse(request.name()));
    claimed = started;
    return answer(operation, started);
  }

  private void check(Operation operation) throws LdapOperationException {
    boolean hasPassword = request.credentials().length > 0;
    if (hasPassword) {
      checkStrength(directory, operation.session().connection());
    }
    if (request.name().isEmpty() && hasPassword) {
      throw invalidCredentials(RefusalReason.PASSWORD_WITHOUT_NAME);
    }
    if (!request.name().isEmpty() && !hasPassword) {
      throw new LdapOperationException(
          LdapResult.of(ResultCode.UNWILLING_TO_PERFORM, UNAUTHENTICATED),
          RefusalReason.UNAUTHENTICATED);
    }
  }

  /** Refuses a password that has come over a network before it is looked at. */
  static void checkStrength(OperationContext directory, ClientConnection connection)
      throws LdapOperationException {
    int bits = SaslOffer.bitsOfPassword(directory, connection);
    if (connection.strengthBits() < bits) {
      throw new LdapOperationException(
          ResultCode.CONFIDENTIALITY_REQUIRED,
          "use StartTLS or ldaps: a password needs encryption of "
              + bits
              + " bits (security.minimumStrength.simpleBind)");
    }
  }

  private Outcome answer(Operation operation, ClaimedIdentity tried) throws LdapOperationException {
    Outcome outcome = tried.prove(request.credentials());
    return outcome == Outcome.DONE
        ? succeed(operation, tried.proved(), tried.verdict(), null)
        : outcome;
  }

  private Outcome runSasl(Operation operation, SliceBudget budget, String mechanism)
      throws LdapOperationException {
    SaslBind going = sasl;
    if (going == null) {
      going = SaslBind.of(directory, operation, request, mechanism);
      sasl = going;
    }
    return switch (going.run(operation, budget)) {
      case PARKED -> Outcome.PARKED;
      case UNDER_WAY -> Outcome.YIELDED;
      case CHALLENGE -> Outcome.DONE;
      case PROVED -> {
        Outcome outcome = succeed(operation, going.identity(), going.verdict(), going.answer());
        going.succeeded();
        yield outcome;
      }
    };
  }

  @Override
  public void ended() {
    ClaimedIdentity tried = claimed;
    if (tried != null) {
      tried.answered();
    }
    SaslBind going = sasl;
    if (going != null) {
      going.close();
    }
  }

  private Outcome succeed(
      Operation operation,
      BoundIdentity identity,
      LoginVerdict verdict,
      byte @Nullable [] serverCredentials) {
    if (!identity.isAnonymous()) {
      operation.establish(identity);
    }
    if (verdict.kind() == LoginVerdict.Kind.MUST_CHANGE) {
      operation.requirePasswordChange();
    }
    LdapResult success = new BindResponses(directory, controls).success(identity, verdict);
    operation.sink().bindResult(success, serverCredentials);
    return Outcome.DONE;
  }

  static LdapOperationException invalidCredentials(RefusalReason reason) {
    return new LdapOperationException(LdapResult.of(ResultCode.INVALID_CREDENTIALS), reason);
  }
}
