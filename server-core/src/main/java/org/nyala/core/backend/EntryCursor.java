package org.nyala.core.backend;

import org.nyala.core.entry.EntryView;

/** Walks the entries in scope that may match, by rising entry id. Confined to its transaction. */
public interface EntryCursor extends AutoCloseable {
  /** What a call of {@link #next} came to. */
  enum Step {
    /** The view shows the next entry. */
    ENTRY,
    /** There is no further entry. */
    END,
    /**
     * The limit was reached before an entry was found; {@link EntryCursor#position()} says how far
     * the walk came.
     */
    LIMIT
  }

  /**
   * Moves on.
   *
   * @param view where to show the entry; valid until the next call
   * @param examineLimit how many candidates to examine at most, at least 1
   */
  Step next(EntryView view, int examineLimit);

  /**
   * Everything up to this entry id was walked: what to pass as {@code afterEntryId} to go on later.
   */
  long position();

  /** How many candidates were examined since the cursor was opened, those out of scope included. */
  long examined();

  /**
   * Whether every entry shown matches the filter for certain, so that it need not be tested again.
   */
  boolean isExact();

  /** Ends the walk. */
  @Override
  void close();
}
