package org.nyala.core.sasl;

/** A message of a mechanism that is not as its specification requires. */
public final class MalformedSaslException extends Exception {
  private static final long serialVersionUID = 1;

  /**
   * Creates the exception, without a stack trace: clients cause it.
   *
   * @param message the requirement, with no part of what the client has sent
   */
  public MalformedSaslException(String message) {
    super(message, null, false, false);
  }
}
