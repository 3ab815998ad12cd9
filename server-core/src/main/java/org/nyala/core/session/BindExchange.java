package org.nyala.core.session;

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

  /** Gives back its memory. Idempotent. */
  void close();
}
