package org.nyala.core.ber;

/**
 * Thrown if sound BER has a content that is not allowed: what follows can still be read. Carries no
 * stack trace: clients cause it.
 */
public final class BerContentException extends InvalidBerException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message that describes the fault. */
  public BerContentException(String message) {
    super(message);
  }
}
