package org.nyala.lmdb.env;

/**
 * Changes that could not be stored, through no fault of their own, since the server started.
 *
 * <p>Immutable.
 *
 * @param count transactions that failed
 * @param lastMillis when the last one failed, in milliseconds since 1970; 0 if none did
 * @param reason the reason of the last failure, as reported to clients; empty if none failed
 * @param isLasting true if no change that takes space has been stored since
 */
public record CommitFailures(long count, long lastMillis, String reason, boolean isLasting) {
  /** The state without failures. */
  public static final CommitFailures NONE = new CommitFailures(0, 0, "", false);

  /** Returns the state after one more failure. */
  CommitFailures and(long nowMillis, String why) {
    return new CommitFailures(count + 1, nowMillis, why, true);
  }

  /** Returns the state after a change was stored. */
  CommitFailures over() {
    return isLasting ? new CommitFailures(count, lastMillis, reason, false) : this;
  }
}
