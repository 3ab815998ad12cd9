package org.nyala.core.sasl;

/** Bytes that cannot be wrapped, or are not what the other end has wrapped. */
public final class SecurityLayerException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Creates it.
   *
   * @param message the reason, without anything that the client has sent
   */
  public SecurityLayerException(String message) {
    super(message, null, false, false);
  }
}
