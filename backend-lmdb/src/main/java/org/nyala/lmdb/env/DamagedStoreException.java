package org.nyala.lmdb.env;

/** Reports that the data is not sound: it cannot be used, and a restart does not help. */
public final class DamagedStoreException extends StoreException {
  private static final long serialVersionUID = 1;

  public DamagedStoreException(String message) {
    super(message);
  }
}
