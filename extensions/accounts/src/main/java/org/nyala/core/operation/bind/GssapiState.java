package org.nyala.core.operation.bind;

import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.sasl.GssapiExchange;
import org.nyala.core.sasl.SecurityLayer;
import org.nyala.core.session.Operation;

/**
 * An exchange of GSSAPI between its messages.
 *
 * <p>Confined to one running operation, or to the session between two.
 */
final class GssapiState extends KeptExchange {
  private final GssapiExchange exchange;
  private boolean hasSucceeded;

  /**
   * Opens an exchange.
   *
   * @param tokenBytes the length of the client's first message
   * @throws LdapOperationException busy if the client holds too much memory
   */
  GssapiState(Operation operation, GssapiExchange exchange, int tokenBytes, long nowNanos)
      throws LdapOperationException {
    super(operation, GssapiExchange.BYTES + tokenBytes, nowNanos);
    this.exchange = exchange;
  }

  GssapiExchange exchange() {
    return exchange;
  }

  /** The answer that the bind has succeeded was appended. */
  void succeeded() {
    hasSucceeded = true;
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
    exchange.close();
    super.close();
  }
}
