package org.nyala.cluster.raft;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.ReplicatedLog.Outcome;

/**
 * A proposal, or a barrier, of this member, until its outcome is known. Thread-safe.
 *
 * <p>The exception of a refused request does not say if its entry was appended: only the call of
 * {@code preAppendTransaction} tells.
 */
final class Proposal {
  private final long callId;
  private final long term;
  private final long deadlineNanos;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
  private boolean isAppended;
  private boolean isArrived;
  private boolean isDecided;

  Proposal(long callId, long term, long deadlineNanos) {
    this.callId = callId;
    this.term = term;
    this.deadlineNanos = deadlineNanos;
  }

  long callId() {
    return callId;
  }

  /** Returns the term that the entry was made in. */
  long term() {
    return term;
  }

  boolean isOverdue(long nowNanos) {
    return nowNanos - deadlineNanos > 0;
  }

  CompletableFuture<Outcome> outcome() {
    return outcome;
  }

  /** Learns that the entry is about to get its place in the log. */
  synchronized void appended() {
    isAppended = true;
  }

  /** Learns that the entry is committed and on its way to the state. */
  synchronized void arrived() {
    isArrived = true;
  }

  /**
   * Decides what is known without waiting for more; null if it was decided before.
   *
   * @param isOverdue whether an entry that has arrived and not been delivered is waited for no more
   */
  synchronized @Nullable Outcome given(boolean isOverdue) {
    if (isDecided || (isArrived && !isOverdue)) {
      return null;
    }
    isDecided = true;
    return isAppended ? Outcome.UNKNOWN : Outcome.REFUSED;
  }

  /** Says that the entry was delivered; false if its outcome was given before. */
  synchronized boolean delivered() {
    boolean isFirst = !isDecided;
    isDecided = true;
    return isFirst;
  }
}
