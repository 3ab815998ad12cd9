package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;
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
     * The limit was reached before an entry was found, or the store has done as much as is good
     * between two looks at the clock; {@link EntryCursor#position()} says how far the walk came.
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
   * Tells whether the entry that was shown last matches the filter for certain, so that it need not
   * be tested again; before the first, what is expected of it.
   */
  boolean isExact();

  /**
   * The state to pass to {@link ReadTransaction#search(SearchSpec, long, SearchProgress)} with the
   * position, to go on later: now the caller's to close. Asked for before the cursor is closed, and
   * last; null when there is nothing worth keeping.
   */
  default @Nullable SearchProgress progress() {
    return null;
  }

  /** Ends the walk. */
  @Override
  void close();
}
