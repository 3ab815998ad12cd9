package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.sasl.GssapiExchange;
import org.nyala.core.sasl.SecurityLayer;
import org.nyala.core.session.BindExchange;
import org.nyala.core.session.Operation;

/**
 * An exchange of GSSAPI between its messages.
 *
 * <p>Confined to one running operation, or to the session between two.
 */
final class GssapiState implements BindExchange {
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final MemoryAccount memory;
  private final int held;
  private final GssapiExchange exchange;
  private final long beganNanos;
  private boolean isAwaiting;
  private boolean hasSucceeded;
  private boolean isOpen = true;

  private GssapiState(MemoryAccount memory, int held, GssapiExchange exchange, long beganNanos) {
    this.memory = memory;
    this.held = held;
    this.exchange = exchange;
    this.beganNanos = beganNanos;
  }

  /**
   * Opens an exchange.
   *
   * @param tokenBytes the length of the client's first message
   * @throws LdapOperationException busy if the client holds too much memory
   */
  static GssapiState open(
      Operation operation, GssapiExchange exchange, int tokenBytes, long nowNanos)
      throws LdapOperationException {
    MemoryAccount memory = operation.session().memory();
    int bytes = GssapiExchange.BYTES + tokenBytes;
    if (!memory.tryTakeStanding(bytes)) {
      exchange.close();
      throw new LdapOperationException(
          ResultCode.BUSY, "the client holds too much memory for another exchange");
    }
    return new GssapiState(memory, bytes, exchange, nowNanos);
  }

  /** Returns whether the client has taken longer than a number of seconds. */
  boolean isLate(long nowNanos, int seconds) {
    return nowNanos - beganNanos > seconds * NANOS_PER_SECOND;
  }

  GssapiExchange exchange() {
    return exchange;
  }

  /** A challenge is sent: the session has to keep the exchange. */
  void challenged() {
    isAwaiting = true;
  }

  /** The answer that the bind has succeeded was appended. */
  void succeeded() {
    hasSucceeded = true;
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
  public boolean mayProtect() {
    return exchange.awaitsChoice();
  }

  @Override
  public @Nullable SecurityLayer takeLayer() {
    return hasSucceeded ? exchange.takeLayer() : null;
  }

  @Override
  public void close() {
    if (isOpen) {
      isOpen = false;
      isAwaiting = false;
      exchange.close();
      memory.giveBack(held);
    }
  }
}
