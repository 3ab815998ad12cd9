package org.nyala.lmdb.journal;

import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;

/**
 * The extent of the journal of changes.
 *
 * <p>Immutable.
 *
 * @param changes the number of changes
 * @param bytes the bytes that they take
 * @param oldestMillis the time of the oldest one, in milliseconds since 1970; 0 if there is none
 * @param newest the number of the newest one; null if there is none
 */
public record JournalStatus(long changes, long bytes, long oldestMillis, @Nullable Csn newest) {
  /** A journal without changes. */
  public static final JournalStatus EMPTY = new JournalStatus(0, 0, 0, null);
}
