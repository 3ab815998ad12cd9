package org.nyala.cli.store;

import java.io.IOException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.JournalEntry;
import org.nyala.lmdb.export.ChangeDetails;

/** A form in which changes are printed. Confined to one running operation. */
interface ChangeFormat {
  /** The UUID of an entry that has none. */
  UUID NO_UUID = new UUID(0, 0);

  /**
   * Prints a change.
   *
   * @param dn the name that the entry has now; null if it does not exist any more
   * @param details its author and attributes; null if the store does not know them
   * @param upTo the changes up to this one
   */
  void write(
      JournalEntry change, byte @Nullable [] dn, @Nullable ChangeDetails details, CsnVector upTo)
      throws IOException;
}
