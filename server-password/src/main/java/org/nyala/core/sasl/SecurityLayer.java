package org.nyala.core.sasl;

/**
 * A layer that protects what a connection carries after a bind (RFC 4422, section 3.7): each buffer
 * is wrapped by itself.
 *
 * <p>Confined to the connection's event loop once it is installed.
 */
public interface SecurityLayer {
  /** Returns the strength in bits of its key; 1 for integrity alone (RFC 4422, appendix B). */
  int strengthBits();

  /** Returns the memory that it takes, in bytes. */
  int heldBytes();

  /** Returns the most bytes of a wrapped buffer that the client may send. */
  int mostReceived();

  /** Returns the most bytes that one call of {@link #wrap} takes. */
  int mostSent();

  /**
   * Wraps bytes for the client.
   *
   * @param bytes at most {@link #mostSent}
   * @throws SecurityLayerException if that is impossible, so that nothing more can be sent
   */
  byte[] wrap(byte[] bytes) throws SecurityLayerException;

  /**
   * Unwraps a buffer of the client.
   *
   * @throws SecurityLayerException if it is not what the client has sent next
   */
  byte[] unwrap(byte[] wrapped) throws SecurityLayerException;

  /** Forgets its keys. Idempotent. */
  void close();
}
