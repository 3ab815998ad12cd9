package org.nyala.lmdb.env;

/**
 * Something is wrong with the store or the machine it lives on: missing or foreign data, a lock, a
 * full disk, damage. The message is for administrators: it says what is wrong and what helps.
 */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates the exception with a message. */
  public StoreException(String message) {
    super(message);
  }

  /** Creates the exception with a message and what it comes from. */
  public StoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
