package org.nyala.core.dispatch;

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
    HASH,
    /** The single writer of a store. */
    WRITE
  }

  /** What a slice came to. */
  enum Outcome {
    /** The task has answered, or nobody wants an answer any more. */
    DONE,
    /** The budget is used up, or the work belongs to another {@link #lane()}: dispatch it again. */
    YIELDED,
    /** The client must read first; the task calls {@link DispatchStrategy#resume} when it has. */
    AWAITING_CLIENT
  }

  /** Runs one slice. Throws nothing: every failure becomes an answer or a disconnect. */
  Outcome run(SliceBudget budget);

  /** Where the next slice should run. */
  Lane lane();

  /** A number that is the same for all tasks of a connection; connections are numbered 1, 2, 3… */
  int connectionNumber();

  /** Tells that a task that had to wait for a permit has got it. Any thread. */
  void admitted();
}
