package org.nyala.core.dn;

/**
 * The text is not a distinguished name that the schema knows (RFC 4514). Carries no stack trace:
 * clients cause it.
 */
public final class InvalidDnException extends Exception {
  private static final long serialVersionUID = 1;

  /** Creates an exception with a message that describes the fault and its place. */
  public InvalidDnException(String message) {
    super(message, null, false, false);
  }
}
