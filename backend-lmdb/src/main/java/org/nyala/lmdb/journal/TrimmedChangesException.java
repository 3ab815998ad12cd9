package org.nyala.lmdb.journal;

import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.lmdb.env.StoreException;

/** The exception for changes that are wanted and no longer in the journal. */
public final class TrimmedChangesException extends StoreException {
  private static final long serialVersionUID = 1;

  /**
   * Describes what is missing.
   *
   * @param floor the largest numbers that the journal has no more
   */
  public TrimmedChangesException(CsnVector floor) {
    super(
        "the journal no longer has the changes since then: it begins after "
            + SyncCookie.of(floor)
            + "; read the whole directory");
  }
}
