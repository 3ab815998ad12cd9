package org.nyala.core.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * Work that a {@link DispatchStrategy} runs in slices: an operation, or a burst of bytes to be
 * decoded.
 *
 * <p>At most one thread runs a slice of a task at a time, and the writes of one slice are visible
 * to the next; the strategy ensures both.
 */
public interface Task {
  /** The place in which a task should continue if the slice's thread is not the right one. */
  enum Lane {
    /** Reads: wherever the strategy runs work. */
    READ,
    /** Slow password hashes: milliseconds of pure computing. */
    HASH
  }

  /** The result of a slice. */
  enum Outcome {
    /** The task has answered, or its answer is no longer wanted. */
    DONE,
    /** The budget is used up, or the work belongs to another {@link #lane()}: dispatch it again. */
    YIELDED,
    /** The client must read first; the task calls {@link DispatchStrategy#resume} when it has. */
    AWAITING_CLIENT,
    /**
     * Another component has the task, such as the writer of a store, and either ends it or calls
     * {@link DispatchStrategy#resume}.
     */
    PARKED
  }

  /**
   * Runs one slice. Throws nothing: every failure becomes an answer or a disconnect. Once it has
   * answered anything but {@link Outcome#YIELDED}, the task may be elsewhere already: the caller
   * does not touch it again.
   */
  Outcome run(SliceBudget budget);

  /** Returns the place in which the next slice should run. */
  Lane lane();

  /** The number of classes of tasks that a server may distinguish. */
  int CLASSES = 8;

  /**
   * Returns the number of its class, 0 to {@value #CLASSES} - 1: tasks of similar cost are of one,
   * of which strategies keep one average. There are few, so that each average has enough samples to
   * mean something. Never changes; costs nothing to ask for.
   */
  int costClass();

  /** A number that is the same for all tasks of a connection; connections are numbered 1, 2, 3… */
  int connectionNumber();

  /**
   * Returns the owner of this work, compared by {@code equals}: threads and permits are shared out
   * between owners, and not between tasks. Never changes; costs nothing to ask for. A task without
   * an owner is its own.
   */
  default Object owner() {
    return this;
  }

  /** Returns the history of its connection on the event loop; null if none is kept. */
  default @Nullable ConnectionLoopHistory loopHistory() {
    return null;
  }

  /**
   * Returns whether its client sent further requests before this is answered, which other threads
   * could do meanwhile. Called on the event loop, before the task ends.
   */
  default boolean isPipelined() {
    return false;
  }

  /**
   * Returns whether its next slice is to end it, because its answer is no longer wanted or its time
   * is over: such a task does not wait for its owner's turn. A task that continues nevertheless is
   * no longer due after that slice. Called by the thread or under the lock that has it queued.
   */
  default boolean isDue() {
    return false;
  }

  /**
   * Returns whether it runs the slices of another task in its place. Called as {@link #isDue} is.
   */
  default boolean standsFor(Task other) {
    return this == other;
  }

  /**
   * Notifies a task for which {@link DispatchStrategy#dispatch} returned false that it has got its
   * permit; called exactly once for each such task, before its first slice. Any thread.
   */
  void admitted();

  /**
   * Runs {@code continuation} on the event loop of the task's connection, after the loop's current
   * work; never before this returns. Any thread.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the event loop has ended
   */
  void continueOnLoop(Runnable continuation);
}
