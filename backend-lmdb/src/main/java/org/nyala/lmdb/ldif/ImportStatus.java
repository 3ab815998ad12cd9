package org.nyala.lmdb.ldif;

/**
 * How far an import has come.
 *
 * <p>Immutable.
 *
 * @param phase what it is doing
 * @param entriesRead how many records were read, the rejected ones included
 * @param entriesRejected how many of them were rejected
 * @param bytesRead how many bytes of LDIF were read
 * @param bytesTotal how many there are; -1 when that cannot be known
 * @param fractionDone how much of the whole work is done, 0 to 1; negative when that cannot be
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
  /** What an import is doing. */
  public enum Phase {
    /** Reading, checking and storing entries. */
    READING,
    /** Writing names and indexes in order. */
    INDEXING,
    /** Waiting until everything is on disk. */
    SYNCING,
    /** Nothing: it is done. */
    DONE
  }

  /** Records per second since the start. */
  public double entriesPerSecond() {
    return elapsedNanos <= 0 ? 0 : entriesRead * 1e9 / elapsedNanos;
  }

  /** Time left in nanoseconds, if the rest goes on like what was done; -1 when unknown. */
  public long remainingNanos() {
    if (fractionDone <= 0) {
      return -1;
    }
    return (long) (elapsedNanos / fractionDone * (1 - Math.min(1, fractionDone)));
  }
}
