package org.nyala.lmdb.ldif;

/**
 * The progress of an import.
 *
 * <p>Immutable.
 *
 * @param phase the current phase
 * @param entriesRead the number of records read, including the rejected ones
 * @param entriesRejected the number of records rejected
 * @param bytesRead the number of bytes of LDIF read
 * @param bytesTotal the number of bytes of LDIF in all; -1 if that cannot be known
 * @param fractionDone the part of the whole work that is done, 0 to 1; negative if that cannot be
 *     known
 * @param elapsedNanos time since the start
 */
public record ImportStatus(
    Phase phase,
    long entriesRead,
    long entriesRejected,
    long bytesRead,
    long bytesTotal,
    double fractionDone,
    long elapsedNanos) {
  public enum Phase {
    /** Reading, checking and storing entries. */
    READING,
    /** Writing names and indexes in order. */
    INDEXING,
    /** Waiting until everything is on disk. */
    SYNCING,
    /** The import is complete. */
    DONE
  }

  /** Returns the number of records per second since the start. */
  public double entriesPerSecond() {
    return elapsedNanos <= 0 ? 0 : entriesRead * 1e9 / elapsedNanos;
  }

  /**
   * Returns the time left in nanoseconds, if the rest takes as long as the work so far; -1 if
   * unknown.
   */
  public long remainingNanos() {
    if (fractionDone <= 0) {
      return -1;
    }
    return (long) (elapsedNanos / fractionDone * (1 - Math.min(1, fractionDone)));
  }
}
