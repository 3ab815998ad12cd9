package org.nyala.core.operation.bind;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.control.ControlType;
import org.nyala.core.control.RequestControls;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.extended.AuthorizationIds;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PolicyError;
import org.nyala.core.policy.PolicyResponse;
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

  /** The control that returns the authorization identity (RFC 3829, section 2). */
  private static final String AUTHORIZATION_IDENTITY_RESPONSE = "2.16.840.1.113730.3.4.15";

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
      throw told(e);
    }
  }

  private Outcome runSimple(Operation operation) throws LdapOperationException {
    if (claimed == null) {
      check(operation);
      if (request.name().isEmpty()) {
        return succeed(operation, BoundIdentity.ANONYMOUS, LoginVerdict.FREE, null);
      }
      claimed =
          ClaimedIdentity.of(directory, operation, directory.scratch().names.parse(request.name()));
    }
    Outcome outcome = claimed.prove(request.credentials());
    return outcome == Outcome.DONE
        ? succeed(operation, claimed.proved(), claimed.guard().verdict(), null)
        : outcome;
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

  private Outcome runSasl(Operation operation, SliceBudget budget, String mechanism)
      throws LdapOperationException {
    if (sasl == null) {
      sasl = SaslBind.of(directory, operation, request, mechanism);
    }
    SaslBind going = sasl;
    Outcome outcome = going.run(operation, budget);
    if (outcome == null) {
      outcome = succeed(operation, going.identity(), going.proof.verdict(), going.proof.answer);
      going.proof.succeeded();
    }
    return outcome;
  }

  @Override
  public void ended() {
    if (claimed != null) {
      claimed.answered();
    }
    if (sasl != null) {
      sasl.close();
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
    operation.sink().bindResult(success(identity, verdict), serverCredentials);
    return Outcome.DONE;
  }

  /** Returns the answer to a bind that has succeeded. */
  private LdapResult success(BoundIdentity identity, LoginVerdict verdict) {
    boolean isPlain = controls.isEmpty() && verdict == LoginVerdict.FREE;
    if (isPlain) {
      return LdapResult.SUCCESS;
    }
    List<ResponseControl> responses = new ArrayList<>(2);
    if (controls.has(ControlType.AUTHORIZATION_IDENTITY)) {
      responses.add(
          new ResponseControl(AUTHORIZATION_IDENTITY_RESPONSE, AuthorizationIds.encode(identity)));
    }
    add(PolicyResponse.of(verdict), responses);
    return responses.isEmpty() ? LdapResult.SUCCESS : LdapResult.SUCCESS.with(responses);
  }

  private void add(PolicyResponse told, List<ResponseControl> responses) {
    if (controls.has(ControlType.PASSWORD_POLICY)) {
      responses.add(told.control());
      return;
    }
    ResponseControl netscape = directory.passwordPolicy().sendsNetscape() ? told.netscape() : null;
    if (netscape != null) {
      responses.add(netscape);
    }
  }

  /**
   * Returns a refusal with the controls that belong to it. Clients that ask for that of password
   * policies get it with every refusal, for whatever name: it tells nothing about names.
   */
  private LdapOperationException told(LdapOperationException refusal) {
    LdapResult result = refusal.result();
    if (result.code() != ResultCode.INVALID_CREDENTIALS) {
      return refusal;
    }
    List<ResponseControl> responses = new ArrayList<>(1);
    PolicyError error = error(refusal.reason());
    add(error == null ? PolicyResponse.EMPTY : PolicyResponse.of(error), responses);
    return responses.isEmpty()
        ? refusal
        : new LdapOperationException(result.with(responses), refusal.reason());
  }

  private @Nullable PolicyError error(@Nullable RefusalReason reason) {
    if (reason == RefusalReason.ACCOUNT_LOCKED) {
      return directory.passwordPolicy().tellsLocked() ? PolicyError.ACCOUNT_LOCKED : null;
    }
    return switch (reason) {
      case PASSWORD_EXPIRED -> PolicyError.PASSWORD_EXPIRED;
      case MUST_CHANGE_PASSWORD -> PolicyError.CHANGE_AFTER_RESET;
      case null, default -> null;
    };
  }

  static LdapOperationException invalidCredentials(RefusalReason reason) {
    return new LdapOperationException(LdapResult.of(ResultCode.INVALID_CREDENTIALS), reason);
  }
}
