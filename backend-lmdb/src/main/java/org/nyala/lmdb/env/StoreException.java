package org.nyala.lmdb.env;

/**
 * Reports a fault of the store or of the machine it is on: missing or foreign data, a lock, a full
 * disk, damage. The message is for administrators: it describes the fault and its remedy.
 */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public StoreException(String message) {
    super(message);
  }

  /** Creates the exception with a message and its cause. */
  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
