package org.nyala.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.nyala.cluster.batch.BatchId;
import org.nyala.cluster.batch.FollowedNotes;
import org.nyala.core.schema.load.ExtendedSchema;

/**
 * The settings of a store that follows a log, and what it needs of its surroundings.
 *
 * <p>Immutable.
 *
 * @param answerMillis the time that a batch waits for a majority, from 1; afterwards its outcome is
 *     not known
 * @param batchBytes the size of a batch from which on no further update goes into it, from 1; about
 *     a mebibyte keeps one batch from delaying the heartbeats behind it
 * @param groupEntries the number of entries that a follower applies in one transaction at most,
 *     from 1: they share one wait for the disk
 * @param groupBytes the size of such entries together, but for the first, from 1
 * @param waiting the way in which the writer's thread waits
 * @param ids the source of identities of batches
 * @param copying fetches the state of another member
 * @param definitions learns of definitions that another member has added to the schema, once the
 *     store has them; on the writer's thread
 * @param notes learns of notes that another member has made, once the store has them; on the
 *     writer's thread
 * @param failures learns once, as a sentence, why the member has stopped; quick
 */
public record ClusterSettings(
    long answerMillis,
    int batchBytes,
    int groupEntries,
    int groupBytes,
    Waiting waiting,
    Supplier<BatchId> ids,
    Copying copying,
    Consumer<ExtendedSchema> definitions,
    Consumer<FollowedNotes> notes,
    Consumer<String> failures) {
  /** The usual time that a batch waits for a majority: an election takes a few seconds at most. */
  public static final long ANSWER_MILLIS = 10_000;

  /** The usual size of a batch. */
  public static final int BATCH_BYTES = 1 << 20;

  /** The usual number of entries that a follower applies in one transaction. */
  public static final int GROUP_ENTRIES = 256;

  /** The usual size of such entries together. */
  public static final int GROUP_BYTES = 4 << 20;

  /** Requires positive limits. */
  public ClusterSettings {
    if (answerMillis < 1 || batchBytes < 1 || groupEntries < 1 || groupBytes < 1) {
      throw new IllegalArgumentException(
          "limits of a cluster below 1: "
              + answerMillis
              + ", "
              + batchBytes
              + ", "
              + groupEntries
              + ", "
              + groupBytes);
    }
  }

  /**
   * Returns the usual settings.
   *
   * @param definitions learns of definitions that another member has added to the schema
   * @param notes learns of notes that another member has made
   * @param failures learns why the member has stopped
   */
  public static ClusterSettings usual(
      Copying copying,
      Consumer<ExtendedSchema> definitions,
      Consumer<FollowedNotes> notes,
      Consumer<String> failures) {
    return new ClusterSettings(
        ANSWER_MILLIS,
        BATCH_BYTES,
        GROUP_ENTRIES,
        GROUP_BYTES,
        Waiting.PARKED,
        BatchId::random,
        copying,
        definitions,
        notes,
        failures);
  }

  /** Returns the same settings with another time that a batch waits for a majority. */
  public ClusterSettings withAnswer(long millis) {
    return new ClusterSettings(
        millis,
        batchBytes,
        groupEntries,
        groupBytes,
        waiting,
        ids,
        copying,
        definitions,
        notes,
        failures);
  }

  /** Returns the same settings with other sizes of batches, and of entries applied together. */
  public ClusterSettings withSizes(int ofBatch, int entriesOfGroup, int ofGroup) {
    return new ClusterSettings(
        answerMillis,
        ofBatch,
        entriesOfGroup,
        ofGroup,
        waiting,
        ids,
        copying,
        definitions,
        notes,
        failures);
  }

  /** The transfer of another member's state, which replaces that of the store. Thread-safe. */
  @FunctionalInterface
  public interface Copying {
    /** No transfer: a member that is too far behind stops. */
    Copying NONE =
        first ->
            CompletableFuture.failedFuture(
                new IllegalStateException(
                    "the log begins at " + first.index() + ", and no copy can be fetched"));

    /**
     * Replaces the state of the store by a copy of another member's. The store changes by nothing
     * else until the stage is complete.
     *
     * @param first the first place that is available as an entry: the copy must reach to it
     * @return a stage that completes once the store has the copy, mark included, or fails
     */
    CompletionStage<Void> fetch(LogPosition first);
  }
}
