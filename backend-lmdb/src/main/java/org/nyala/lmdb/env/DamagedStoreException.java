package org.nyala.lmdb.env;

/** Reports that the data is not sound: it cannot be used, and a restart does not help. */
public final class DamagedStoreException extends StoreException {
  private static final long serialVersionUID = 1;

  /** Creates the exception with a message. */
  public DamagedStoreException(String message) {
    super(message);
  }
}
