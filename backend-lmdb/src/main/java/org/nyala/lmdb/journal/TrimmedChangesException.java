package org.nyala.lmdb.journal;

import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.lmdb.env.StoreException;

/**
 * The exception for changes that are wanted and not in the journal: no longer, or because the data
 * is not the one that the changes before were read from.
 */
public final class TrimmedChangesException extends StoreException {
  private static final long serialVersionUID = 1;

  private TrimmedChangesException(String message) {
    super(message);
  }

  /**
   * Describes what is missing.
   *
   * @param floor the largest numbers that the journal has no more
   */
  public static TrimmedChangesException after(CsnVector floor) {
    return new TrimmedChangesException(
        "the journal no longer has the changes since then: it begins after "
            + SyncCookie.of(floor)
            + "; read the whole directory");
  }

  /**
   * Describes data that lacks changes which were read already, a restored backup for example.
   *
   * @param known the changes that were read already
   */
  public static TrimmedChangesException other(CsnVector known) {
    return new TrimmedChangesException(
        "the data does not have all changes up to "
            + SyncCookie.of(known)
            + ": it is older, or other data; read the whole directory");
  }
}
