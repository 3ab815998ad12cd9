package org.nyala.core.ber;

/** Bytes are not the BER that they should be; a client's error, hence without a stack trace. */
public class InvalidBerException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message that describes the fault. */
  public InvalidBerException(String message) {
    super(message, null, false, false);
  }
}
