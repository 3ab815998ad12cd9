package org.nyala.lmdb.env;

/**
 * Changes that could not be stored, through no fault of theirs, since the server started.
 *
 * <p>Immutable.
 *
 * @param count transactions that failed
 * @param lastMillis when the last one did, in milliseconds since 1970; 0 where none did
 * @param reason why it did, as clients were told; empty where none did
 * @param isLasting whether nothing that takes room has been stored since
 */
public record CommitFailures(long count, long lastMillis, String reason, boolean isLasting) {
  /** There were none. */
  public static final CommitFailures NONE = new CommitFailures(0, 0, "", false);

  /** One more. */
  CommitFailures and(long nowMillis, String why) {
    return new CommitFailures(count + 1, nowMillis, why, true);
  }

  /** Something has been stored since. */
  CommitFailures over() {
    return isLasting ? new CommitFailures(count, lastMillis, reason, false) : this;
  }
}
