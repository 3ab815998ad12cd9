package org.nyala.core.operation.bind;

import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.BindExchange;
import org.nyala.core.session.Operation;

/**
 * An exchange of a mechanism between two messages of its client, for which memory is charged.
 *
 * <p>Confined to one running operation, or to the session between two.
 */
abstract class KeptExchange implements BindExchange {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final MemoryAccount memory;
  private final int bytes;
  private final long beganNanos;
  private boolean isAwaiting;
  private boolean isOpen = true;

  /**
   * Opens an exchange.
   *
   * @param bytes the memory that it takes
   * @throws LdapOperationException busy if the client holds too much memory
   */
  KeptExchange(Operation operation, int bytes, long nowNanos) throws LdapOperationException {
    this.memory = operation.session().memory();
    this.bytes = bytes;
    this.beganNanos = nowNanos;
    if (!memory.tryTakeStanding(bytes)) {
      throw new LdapOperationException(
          ResultCode.BUSY, "the client holds too much memory for another exchange");
    }
  }

  /**
   * Requires that the client has not taken longer than a number of seconds.
   *
   * @throws LdapOperationException invalidCredentials
   */
  final void requireInTime(long nowNanos, int seconds) throws LdapOperationException {
    if (nowNanos - beganNanos > seconds * NANOS_PER_SECOND) {
      throw new LdapOperationException(
          LdapResult.of(
              ResultCode.INVALID_CREDENTIALS, "the exchange took too long (sasl.timeoutSeconds)"),
          RefusalReason.EXCHANGE_TOO_SLOW);
    }
  }

  /** A challenge is sent: the session has to keep the exchange. */
  final void challenged() {
    isAwaiting = true;
  }

  @Override
  public final boolean awaitsClient() {
    return isAwaiting;
  }

  @Override
  public final void clientAnswered() {
    isAwaiting = false;
  }

  @Override
  public void close() {
    if (isOpen) {
      isOpen = false;
      isAwaiting = false;
      memory.giveBack(bytes);
    }
  }
}
