package org.nyala.loadtest;

import java.io.Serial;

/** Tells why a load test could not be carried out. */
final class LoadTestException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  LoadTestException(String message) {
    super(message);
  }
}
