package org.nyala.lmdb.admin;

/** Receives the progress of a backup or a restore. */
@FunctionalInterface
public interface CopyProgress {
  /** The current phase of the copy. */
  enum Phase {
    /** The data is written to its new place. */
    COPYING,
    /** The written data is read again and compared with its source. */
    CHECKING
  }

  /** Ignores the progress. */
  CopyProgress SILENT = (phase, doneBytes, totalBytes) -> {};

  /**
   * Receives the progress; called several times a second by the thread that copies.
   *
   * @param totalBytes the expected total, as far as it can be known
   */
  void update(Phase phase, long doneBytes, long totalBytes);
}
