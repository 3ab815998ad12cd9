package org.nyala.core.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * Work that a {@link DispatchStrategy} runs in slices: an operation, or a burst of bytes to be
 * decoded.
 *
 * <p>At most one thread runs a slice of a task at a time, and what one slice wrote the next one
 * sees; the strategy sees to both.
 */
public interface Task {
  /** Where a task should go on when the slice's thread is not the right place. */
  enum Lane {
    /** Reads: wherever the strategy runs work. */
    READ,
    /** Slow password hashes: milliseconds of pure computing. */
    HASH
  }

  /** What a slice came to. */
  enum Outcome {
    /** The task has answered, or nobody wants an answer any more. */
    DONE,
    /** The budget is used up, or the work belongs to another {@link #lane()}: dispatch it again. */
    YIELDED,
    /** The client must read first; the task calls {@link DispatchStrategy#resume} when it has. */
    AWAITING_CLIENT,
    /**
     * Somebody else has the task, such as the writer of a store, and either ends it or calls {@link
     * DispatchStrategy#resume}.
     */
    PARKED
  }

  /**
   * Runs one slice. Throws nothing: every failure becomes an answer or a disconnect. Once it has
   * answered anything but {@link Outcome#YIELDED}, the task may be elsewhere already: the caller
   * does not touch it again.
   */
  Outcome run(SliceBudget budget);

  /** Where the next slice should run. */
  Lane lane();

  /** What kind of work this is; never changes. */
  OperationClass operationClass();

  /** A number that is the same for all tasks of a connection; connections are numbered 1, 2, 3… */
  int connectionNumber();

  /**
   * Whose work this is, by {@code equals}: threads and permits are shared out between owners, and
   * not between tasks. Never changes; costs nothing to ask for. A task of nobody in particular is
   * its own.
   */
  default Object owner() {
    return this;
  }

  /** What is known of its connection on the event loop; null where nothing is kept. */
  default @Nullable ConnectionLoopHistory loopHistory() {
    return null;
  }

  /**
   * Whether its client has asked for more before this is answered, which others could do meanwhile.
   * On the event loop, before the task ends.
   */
  default boolean isPipelined() {
    return false;
  }

  /**
   * Whether its next slice is to end it, because nobody wants its answer any more or its time is
   * over: such a task does not wait for its owner's turn. What goes on all the same is due no
   * longer after that slice. By the thread or under the lock that has it queued.
   */
  default boolean isDue() {
    return false;
  }

  /**
   * Tells that a task for which {@link DispatchStrategy#dispatch} answered false has got its
   * permit; called exactly once for each such task, before its first slice. Any thread.
   */
  void admitted();

  /**
   * Runs {@code continuation} on the event loop of the task's connection, after what the loop is
   * doing now; never before this returns. Any thread.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the event loop has ended
   */
  void continueOnLoop(Runnable continuation);
}
