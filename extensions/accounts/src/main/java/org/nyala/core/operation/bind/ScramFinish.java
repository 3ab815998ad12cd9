package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.operation.password.AccountGuard;
import org.nyala.core.password.ScramKeys;
import org.nyala.core.policy.AccountServices;
import org.nyala.core.policy.LoginVerdict;
import org.nyala.core.policy.PasswordAttempt;
import org.nyala.core.sasl.MalformedSaslException;
import org.nyala.core.sasl.ScramExchange;
import org.nyala.core.session.ChannelBinding;
import org.nyala.core.session.Operation;

/**
 * The second half of SCRAM (RFC 5802, section 3): checks the client's proof and signs for it.
 *
 * <p>Confined to one running operation.
 */
final class ScramFinish extends BasicProof {
  private final Request.Bind request;
  private final ScramState state;
  private byte @Nullable [] signature;
  private @Nullable PasswordAttempt attempt;

  /** The identity as it is once the proof was right; null before. */
  private @Nullable ClaimedIdentity now;

  ScramFinish(OperationContext directory, Request.Bind request, ScramState state) {
    super(directory);
    this.request = request;
    this.state = state;
  }

  @Override
  public Progress prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    ClaimedIdentity deciding = now;
    if (deciding != null) {
      return decided(deciding, operation);
    }
    AccountGuard guarding = state.guard();
    if (guarding != null && guarding.hasFailed()) {
      guarding.requireRecorded();
      throw BindOperation.invalidCredentials(state.failure());
    }
    AccountGuard.Step step =
        guarding == null ? AccountGuard.Step.GOES_ON : guarding.begin(operation, false);
    if (step == AccountGuard.Step.PARKED) {
      return Progress.PARKED;
    }
    byte[] signed = signed(operation);
    BoundIdentity claimed = state.claimed();
    if (step == AccountGuard.Step.LOCKED) {
      throw BindOperation.invalidCredentials(RefusalReason.ACCOUNT_LOCKED);
    }
    PasswordAttempt counting = attempt(operation);
    if (signed == null || claimed == null) {
      counting.failed();
      if (guarding != null && guarding.failed(operation)) {
        return Progress.PARKED;
      }
      throw BindOperation.invalidCredentials(state.failure());
    }
    ClaimedIdentity current = ClaimedIdentity.of(directory, operation, claimed.dn());
    if (!isAsBefore(current, claimed)) {
      throw BindOperation.invalidCredentials(RefusalReason.CHANGED_MEANWHILE);
    }
    AccountGuard present = current.guard();
    if (present != null && present.wasLocked()) {
      // Since the exchange has begun.
      throw BindOperation.invalidCredentials(RefusalReason.ACCOUNT_LOCKED);
    }
    if (guarding != null) {
      guarding.succeeded();
    }
    counting.succeeded();
    proved = claimed;
    signature = signed;
    now = current;
    return decided(current, operation);
  }

  private Progress decided(ClaimedIdentity current, Operation operation)
      throws LdapOperationException {
    if (current.decided(operation) == ClaimedIdentity.Check.PARKED) {
      return Progress.PARKED;
    }
    if (current.failure() == RefusalReason.PASSWORD_EXPIRED) {
      throw BindOperation.invalidCredentials(RefusalReason.PASSWORD_EXPIRED);
    }
    return Progress.PROVED;
  }

  @Override
  public LoginVerdict verdict() {
    ClaimedIdentity known = now;
    return known == null ? LoginVerdict.FREE : known.verdict();
  }

  private PasswordAttempt attempt(Operation operation) {
    PasswordAttempt known = attempt;
    if (known == null) {
      known = AccountServices.of(directory).attempt(operation, state.counted());
      attempt = known;
    }
    return known;
  }

  /** Returns the server's signature; null if the proof is wrong. */
  private byte @Nullable [] signed(Operation operation) throws LdapOperationException {
    ScramExchange exchange = state.exchange();
    String kind = exchange.first().binding();
    ChannelBinding bound = kind == null ? null : ChannelBinding.of(kind);
    byte[] binding =
        bound == null ? new byte[0] : operation.session().connection().channelBinding(bound);
    PasswordAttempt counting = attempt(operation);
    counting.begin();
    try {
      return exchange.finish(counting, request.credentials(), binding);
    } catch (MalformedSaslException e) {
      counting.unanswered();
      throw SaslBind.malformed(e);
    }
  }

  /** Returns whether the entry is still there, with the keys that it had. */
  private boolean isAsBefore(ClaimedIdentity current, BoundIdentity claimed) {
    ScramKeys keys = state.exchange().keys();
    return claimed.equals(current.identity()) && keys.isSame(current.keys(keys.scheme()));
  }

  @Override
  public String authorizationId() {
    return state.exchange().first().authorizationId();
  }

  @Override
  public byte @Nullable [] answer() {
    return signature;
  }
}
