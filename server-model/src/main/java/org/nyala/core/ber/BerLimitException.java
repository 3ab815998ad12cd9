package org.nyala.core.ber;

/**
 * Thrown if well-formed input exceeds a limit of the server. Carries no stack trace: clients cause
 * it.
 */
public final class BerLimitException extends InvalidBerException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception that names the limit. */
  public BerLimitException(String message) {
    super(message);
  }
}
