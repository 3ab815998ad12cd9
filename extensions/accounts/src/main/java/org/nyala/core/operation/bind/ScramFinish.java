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
final class ScramFinish extends SaslProof {
  private final Request.Bind request;
  private final ScramState state;
  private byte @Nullable [] signature;
  private Next next = Next.CHECK;

  /** The identity as it is once the proof was right; null before. */
  private @Nullable ClaimedIdentity now;

  /** The part of the proof that the next slice does. */
  private enum Next {
    CHECK,
    /** To refuse a wrong proof, once that is on disk. */
    REFUSE,
    /** To accept a login that counts, once that is on disk. */
    CONCLUDE
  }

  ScramFinish(OperationContext directory, Request.Bind request, ScramState state) {
    super(directory);
    this.request = request;
    this.state = state;
  }

  @Override
  Progress prove(Operation operation, SliceBudget budget) throws LdapOperationException {
    AccountGuard guarding = state.guard();
    return switch (next) {
      case CHECK -> check(operation, guarding);
      case REFUSE -> {
        if (guarding != null) {
          guarding.requireRecorded();
        }
        throw BindOperation.invalidCredentials(state.failure());
      }
      case CONCLUDE -> {
        ClaimedIdentity current = now;
        if (current != null) {
          if (current.login() != null) {
            current.login().requireRecorded(operation);
          }
          current.conclude();
        }
        yield Progress.PROVED;
      }
    };
  }

  private Progress check(Operation operation, @Nullable AccountGuard guarding)
      throws LdapOperationException {
    AccountGuard.Step step =
        guarding == null ? AccountGuard.Step.GOES_ON : guarding.begin(operation, false);
    if (step == AccountGuard.Step.PARKED) {
      return Progress.PARKED;
    }
    PasswordAttempt counting = AccountServices.of(directory).attempt(operation, state.counted());
    byte[] signed = signed(operation, counting);
    BoundIdentity claimed = state.claimed();
    if (step == AccountGuard.Step.LOCKED) {
      throw BindOperation.invalidCredentials(RefusalReason.ACCOUNT_LOCKED);
    }
    if (signed == null || claimed == null) {
      counting.failed();
      next = Next.REFUSE;
      if (guarding != null && guarding.failed(operation)) {
        return Progress.PARKED;
      }
      throw BindOperation.invalidCredentials(state.failure());
    }
    ClaimedIdentity current = current(operation, claimed);
    if (guarding != null) {
      guarding.succeeded();
    }
    counting.succeeded();
    proved = claimed;
    signature = signed;
    now = current;
    next = Next.CONCLUDE;
    if (!current.isDecided()) {
      return Progress.PARKED;
    }
    current.conclude();
    return Progress.PROVED;
  }

  /** Returns the identity as it is now, which must be as it was when the exchange began. */
  private ClaimedIdentity current(Operation operation, BoundIdentity claimed)
      throws LdapOperationException {
    ClaimedIdentity current = ClaimedIdentity.of(directory, operation, claimed.dn());
    if (!isAsBefore(current, claimed)) {
      throw BindOperation.invalidCredentials(RefusalReason.CHANGED_MEANWHILE);
    }
    AccountGuard present = current.guard();
    if (present != null && present.wasLocked()) {
      // Since the exchange has begun.
      throw BindOperation.invalidCredentials(RefusalReason.ACCOUNT_LOCKED);
    }
    return current;
  }

  @Override
  LoginVerdict verdict() {
    ClaimedIdentity known = now;
    return known == null ? LoginVerdict.FREE : known.verdict();
  }

  /** Returns the server's signature; null if the proof is wrong. */
  private byte @Nullable [] signed(Operation operation, PasswordAttempt counting)
      throws LdapOperationException {
    ScramExchange exchange = state.exchange();
    String kind = exchange.first().binding();
    ChannelBinding bound = kind == null ? null : ChannelBinding.of(kind);
    byte[] binding =
        bound == null ? new byte[0] : operation.session().connection().channelBinding(bound);
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
  String authorizationId() {
    return state.exchange().first().authorizationId();
  }

  @Override
  byte @Nullable [] answer() {
    return signature;
  }
}
