package org.nyala.lmdb.admin;

/** Hears how far a backup or a restore has come. */
@FunctionalInterface
public interface CopyProgress {
  /** What is being done. */
  enum Phase {
    /** The data is written to its new place. */
    COPYING,
    /** What was written is read again and compared with what it should be. */
    CHECKING
  }

  /** Says nothing. */
  CopyProgress SILENT = (phase, doneBytes, totalBytes) -> {};

  /**
   * Takes note; called several times a second by the thread that copies.
   *
   * @param totalBytes what it will come to, as far as can be told
   */
  void update(Phase phase, long doneBytes, long totalBytes);
}
