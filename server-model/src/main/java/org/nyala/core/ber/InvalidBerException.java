package org.nyala.core.ber;

/**
 * Thrown if bytes are not the BER that they should be: wrong lengths or tags, unless it is one of
 * the subclasses. Carries no stack trace: clients cause it.
 */
public class InvalidBerException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message that describes the fault. */
  public InvalidBerException(String message) {
    super(message, null, false, false);
  }
}
