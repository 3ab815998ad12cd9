package org.nyala.cluster;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.nyala.cluster.batch.BatchId;

/**
 * A batch that was proposed and whose outcome its writer waits for. Guarded by the lock of its
 * {@link ClusterMember}.
 */
final class Proposal {
  /** The outcome as far as it is known. */
  enum Verdict {
    /** Nothing yet. */
    OPEN,
    /** Leadership was lost: it may be delivered, or never. */
    LOST,
    /** It was committed and is delivered here. */
    DELIVERED,
    /** It was not appended, or another entry has its place: it is surely not done. */
    NOT_DONE,
    /** The member has stopped. */
    STOPPED
  }

  /**
   * An entry that was delivered and is not applied yet. Immutable.
   *
   * @param done completes when it is applied
   */
  record Delivered(LogPosition at, ByteBuffer entry, CompletableFuture<Void> done) {}

  final BatchId id;
  final long term;
  final Thread writer;
  Verdict verdict = Verdict.OPEN;
  @Nullable Delivered delivered;

  Proposal(BatchId id, long term, Thread writer) {
    this.id = id;
    this.term = term;
    this.writer = writer;
  }

  boolean isUndecided() {
    return verdict == Verdict.OPEN || verdict == Verdict.LOST;
  }
}
