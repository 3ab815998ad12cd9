package org.nyala.netty.tls;

import java.time.Instant;
import org.nyala.core.session.ClientSource;

/**
 * A listener for the events of encryption that matter to security. Thread-safe; quick, never
 * blocks, throws nothing.
 */
public interface TlsListener {
  /** A listener that ignores all events. */
  TlsListener NONE = new TlsListener() {};

  /**
   * A handshake has failed.
   *
   * @param cause the cause; its reason is {@link HandshakeReasons#of}
   */
  default void handshakeFailed(ClientSource client, Throwable cause) {}

  /**
   * Certificates were read and are in use from now on.
   *
   * @param purpose words that follow "TLS", such as {@code " for management"}; empty for LDAP
   * @param firstEnd the end of the first of them
   */
  default void certificatesTaken(String purpose, Instant firstEnd) {}

  /**
   * Certificates have changed and cannot be used; the former ones stay in use.
   *
   * @param purpose the same
   * @param reason the reason, with the names of files
   */
  default void certificatesRefused(String purpose, String reason) {}
}
