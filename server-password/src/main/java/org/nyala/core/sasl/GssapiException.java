package org.nyala.core.sasl;

/** An exchange of GSSAPI that proves nothing. */
public final class GssapiException extends Exception {
  private static final long serialVersionUID = 1L;

  private static final int MOST_CHARACTERS = 200;

  /**
   * Creates it.
   *
   * @param message the reason; made one short line, because parts of it may come from the client
   */
  public GssapiException(String message) {
    super(line(message), null, false, false);
  }

  private static String line(String message) {
    String line = message.replaceAll("\\p{Cntrl}", " ");
    return line.substring(0, Math.min(line.length(), MOST_CHARACTERS));
  }
}
