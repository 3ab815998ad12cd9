package org.nyala.loadtest.workload;

import java.io.Serial;

/** The reason why a load test could not be carried out. */
public final class LoadTestException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  public LoadTestException(String message) {
    super(message);
  }
}
