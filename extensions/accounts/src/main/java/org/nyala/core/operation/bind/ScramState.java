package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.password.AccountGuard;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.sasl.ScramExchange;
import org.nyala.core.session.BindExchange;
import org.nyala.core.session.Operation;
import org.nyala.core.session.SecurityTrail;

/**
 * An exchange of SCRAM between the challenge and the client's proof.
 *
 * <p>Confined to one running operation, or to the session between two.
 */
final class ScramState implements BindExchange {
  /** Messages of at most 2 KiB as characters and bytes, and the keys. */
  private static final int BYTES = 12 << 10;

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final MemoryAccount memory;
  private final SaslMechanism mechanism;
  private final ScramExchange exchange;
  private final @Nullable BoundIdentity claimed;

  /** The name as the budgets of guesses count it. */
  private final byte[] counted;

  private final long beganNanos;
  private @Nullable AccountGuard guard;
  private @Nullable Dn found;
  private int rule = SecurityTrail.NO_RULE;
  private RefusalReason failure = RefusalReason.WRONG_PASSWORD;
  private boolean isAwaiting = true;
  private boolean isOpen = true;

  private ScramState(
      MemoryAccount memory,
      SaslMechanism mechanism,
      ScramExchange exchange,
      @Nullable BoundIdentity claimed,
      byte[] counted,
      long beganNanos) {
    this.memory = memory;
    this.mechanism = mechanism;
    this.exchange = exchange;
    this.claimed = claimed;
    this.counted = counted;
    this.beganNanos = beganNanos;
  }

  /**
   * Opens an exchange.
   *
   * @param claimed the identity that the proof would prove; null if none would
   * @param counted the name as the budgets of guesses count it
   * @throws LdapOperationException busy if the client holds too much memory
   */
  static ScramState open(
      Operation operation,
      SaslMechanism mechanism,
      ScramExchange exchange,
      @Nullable BoundIdentity claimed,
      byte[] counted,
      long nowNanos)
      throws LdapOperationException {
    MemoryAccount memory = operation.session().memory();
    if (!memory.tryTakeStanding(BYTES)) {
      throw new LdapOperationException(
          ResultCode.BUSY, "the client holds too much memory for another exchange");
    }
    ScramState state = new ScramState(memory, mechanism, exchange, claimed, counted, nowNanos);
    state.rule = operation.openTrail().rule();
    return state;
  }

  /**
   * Notes for logs what the client is not told.
   *
   * @param entry the entry of the user's name; null if there is none
   * @param because the reason why no proof can fit; that of a wrong password if one can
   */
  void explain(@Nullable Dn entry, RefusalReason because) {
    found = entry;
    failure = because;
  }

  void guardBy(@Nullable AccountGuard of) {
    guard = of;
  }

  /** Returns the guard of the account; null if there is none. */
  @Nullable AccountGuard guard() {
    return guard;
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

  /** Returns whether the client has taken longer than a number of seconds. */
  boolean isLate(long nowNanos, int seconds) {
    return nowNanos - beganNanos > seconds * NANOS_PER_SECOND;
  }

  ScramExchange exchange() {
    return exchange;
  }

  /** Returns the name as the budgets of guesses count it. */
  byte[] counted() {
    return counted;
  }

  /** Returns the identity that the proof would prove; null if none would. */
  @Nullable BoundIdentity claimed() {
    return claimed;
  }

  @Override
  public boolean awaitsClient() {
    return isAwaiting;
  }

  @Override
  public void clientAnswered() {
    isAwaiting = false;
  }

  @Override
  public void close() {
    if (isOpen) {
      isOpen = false;
      isAwaiting = false;
      memory.giveBack(BYTES);
      AccountGuard guarding = guard;
      if (guarding != null) {
        guarding.close();
      }
    }
  }
}
