package org.nyala.lmdb.env;

/** Receives the progress of work on all entries from time to time. */
@FunctionalInterface
public interface EntryProgress {
  /** Ignores the progress. */
  EntryProgress NONE = (_, _) -> {};

  /**
   * Receives the present state.
   *
   * @param done the number of entries looked at
   * @param total the approximate number of entries in all
   */
  void update(long done, long total);
}
