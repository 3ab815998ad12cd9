package org.nyala.core.ber;

/**
 * What is well-formed is larger than the server takes. Carries no stack trace: clients cause it.
 */
public final class BerLimitException extends InvalidBerException {
  private static final long serialVersionUID = 1L;

  /** Says which limit. */
  public BerLimitException(String message) {
    super(message);
  }
}
