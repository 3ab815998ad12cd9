package org.nyala.loadtest.sasl;

import java.io.Serial;

/**
 * The reason why an exchange of SCRAM cannot go on: the server's message is not what it must be.
 */
public final class ScramException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  ScramException(String message, Throwable cause) {
    super(message, cause);
  }

  ScramException(String message) {
    super(message);
  }
}
