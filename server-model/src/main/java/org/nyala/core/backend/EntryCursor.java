package org.nyala.core.backend;

import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.EntryView;

/** Walks the entries in scope that may match, by rising entry id. Confined to its transaction. */
public interface EntryCursor extends AutoCloseable {
  /** The result of a call of {@link #next}. */
  enum Step {
    /** The view shows the next entry. */
    ENTRY,
    /** There is no further entry. */
    END,
    /**
     * The limit was reached before an entry was found, or the store has done as much as is good
     * between two readings of the clock; {@link EntryCursor#position()} returns the progress of the
     * walk.
     */
    LIMIT
  }

  /**
   * Moves on.
   *
   * @param view the view in which to show the entry; valid until the next call
   * @param examineLimit the maximum number of candidates to examine, at least 1
   */
  Step next(EntryView view, int examineLimit);

  /**
   * Returns the last entry id up to which everything was walked, to pass as {@code afterEntryId} in
   * order to continue later.
   */
  long position();

  /**
   * Returns the number of candidates examined since the cursor was opened, including those out of
   * scope.
   */
  long examined();

  /**
   * Returns whether the last entry shown matches the filter for certain, so that it need not be
   * tested again; before the first entry, the expected answer.
   */
  boolean isExact();

  /**
   * Returns whether the cursor has gone through entries one after the other because no index
   * answers the filter; asked before it is closed.
   */
  default boolean isScan() {
    return false;
  }

  /**
   * The state to pass to {@link ReadTransaction#search(SearchSpec, long, SearchProgress)} with the
   * position, to go on later: now the caller's to close. Asked for before the cursor is closed, and
   * last; null if there is nothing worth keeping.
   */
  default @Nullable SearchProgress progress() {
    return null;
  }

  /** Ends the walk. */
  @Override
  void close();
}
