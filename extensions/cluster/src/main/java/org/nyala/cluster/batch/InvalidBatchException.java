package org.nyala.cluster.batch;

/**
 * Thrown if an entry is no batch, or does not fit the state of the store. The message is a sentence
 * for the operator.
 */
public final class InvalidBatchException extends Exception {
  private static final long serialVersionUID = 1L;

  InvalidBatchException(String message) {
    super(message);
  }

  InvalidBatchException(String message, Throwable cause) {
    super(message, cause);
  }
}
