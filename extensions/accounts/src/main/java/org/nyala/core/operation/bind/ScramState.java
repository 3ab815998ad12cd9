package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.operation.password.AccountGuard;
import org.nyala.core.policy.AccountServices;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.sasl.ScramExchange;
import org.nyala.core.session.Operation;
import org.nyala.core.session.SecurityTrail;

/**
 * An exchange of SCRAM between the challenge and the client's proof.
 *
 * <p>Confined to one running operation, or to the session between two.
 */
final class ScramState extends KeptExchange {
  /** Messages of at most 2 KiB as characters and bytes, and the keys. */
  private static final int BYTES = 12 << 10;

  private final SaslMechanism mechanism;
  private final ScramExchange exchange;

  /** The name as the budgets of guesses count it. */
  private final byte[] counted;

  private final AccountGuard.@Nullable Account account;
  private final @Nullable BoundIdentity identity;
  private final @Nullable Dn found;
  private final RefusalReason failure;
  private final int rule;

  /**
   * Opens an exchange whose challenge is sent.
   *
   * @param claimed the identity that the proof would prove, if it has the keys
   * @param isKnown true if it has
   * @throws LdapOperationException busy if the client holds too much memory
   */
  ScramState(
      Operation operation,
      SaslMechanism mechanism,
      ScramExchange exchange,
      ClaimedIdentity claimed,
      boolean isKnown,
      long nowNanos)
      throws LdapOperationException {
    super(operation, BYTES, nowNanos);
    boolean hasOtherPasswords = !isKnown && claimed.identity() != null;
    this.mechanism = mechanism;
    this.exchange = exchange;
    this.counted = claimed.counted();
    this.account = isKnown ? claimed.account() : null;
    this.identity = isKnown ? claimed.identity() : null;
    this.found = claimed.found();
    this.failure = hasOtherPasswords ? RefusalReason.NO_USABLE_PASSWORD : claimed.failure();
    this.rule = operation.openTrail().rule();
    challenged();
  }

  /** Notes the names of the exchange for the logs of its last bind. */
  void explainTo(SecurityTrail trail) {
    trail.sent(exchange.first().user(), exchange.first().authorizationId());
    trail.found(found);
    trail.ruled(rule);
  }

  /** Returns the reason to log for a proof that does not fit. */
  RefusalReason failure() {
    ScramExchange.Mismatch mismatch = exchange.mismatch();
    if (failure != RefusalReason.WRONG_PASSWORD || mismatch == null) {
      return failure;
    }
    return switch (mismatch) {
      case NONCE -> RefusalReason.WRONG_NONCE;
      case CHANNEL -> RefusalReason.WRONG_CHANNEL_BINDING;
      case PROOF -> failure;
    };
  }

  /** Returns whether a bind with a mechanism goes on with this exchange. */
  boolean fits(SaslMechanism other) {
    return mechanism == other;
  }

  ScramExchange exchange() {
    return exchange;
  }

  /** Returns the guard of the attempt that the client's proof is, in its bind. */
  AccountGuard guard(OperationContext directory, Operation operation) {
    return new AccountGuard(
        directory, operation, AccountServices.of(directory).attempt(operation, counted), account);
  }

  /** Returns the identity that the proof would prove; null if none would. */
  @Nullable BoundIdentity identity() {
    return identity;
  }
}
