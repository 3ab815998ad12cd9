package org.nyala.core.session;

import org.jspecify.annotations.Nullable;
import org.nyala.core.sasl.SecurityLayer;

/**
 * The state of a bind that takes several messages, between two of them (RFC 4511, section 4.2.1).
 *
 * <p>Confined to one running operation, or to the session while none goes on with it.
 */
public interface BindExchange {
  /** Returns whether the client's next message is awaited, so that the session has to keep it. */
  boolean awaitsClient();

  /** Notes that the awaited message has come: the exchange ends with its bind, if that fails. */
  void clientAnswered();

  /**
   * Returns whether the awaited message may be followed by bytes that a security layer protects, so
   * that nothing behind it may be read as a request before the bind has ended.
   */
  default boolean mayProtect() {
    return false;
  }

  /**
   * Hands over the security layer that the bind has agreed to, whose answer was success; null if
   * there is none.
   */
  default @Nullable SecurityLayer takeLayer() {
    return null;
  }

  /** Gives back its memory. Idempotent. */
  void close();
}
