package org.nyala.core.dispatch;

import java.util.List;

/**
 * The choice of where and when tasks run: a combination of decoding place, queues and throttles.
 * Operations never look at their thread.
 *
 * <p>Thread-safe.
 */
public interface DispatchStrategy extends AutoCloseable {
  /** The thread that turns bytes into requests. */
  enum DecodePlacement {
    /** The event loop that read them. */
    EVENT_LOOP,
    /**
     * A worker: the burst is dispatched as a task of its own, and the connection does not read
     * until it is decoded.
     */
    WORKER
  }

  /** The name in the configuration. */
  String name();

  /** Returns where this strategy decodes requests. */
  DecodePlacement decodePlacement();

  /**
   * Takes a new task; called on its connection's event loop, which it never blocks. The task may
   * run before this returns.
   *
   * @return false if the task waits for a permit: the connection stops reading until {@link
   *     Task#admitted()}
   */
  boolean dispatch(Task task);

  /**
   * Takes a task that answered {@link Task.Outcome#AWAITING_CLIENT} again; any thread. Needs no
   * free permit; never runs the task before this returns. The task may have been dispatched by
   * another strategy.
   */
  void resume(Task task);

  /**
   * Takes back a task for which {@link #dispatch} answered false; any thread. After true it holds
   * nothing here and is neither admitted nor run.
   *
   * @return false if it does not wait here, or not any longer: then it is admitted, unless another
   *     strategy has it
   */
  default boolean withdraw(Task task) {
    return false;
  }

  /**
   * Takes back a task that waits for a thread for slow hashes, with a permit or for one; any
   * thread. After true it holds nothing here, and is not run. Takes longer the more wait.
   *
   * @return false if it does not wait there, or not any longer
   */
  default boolean recall(Task task) {
    return withdraw(task);
  }

  /**
   * Returns the number of tasks that hold a permit or a place in a queue; 0 when idle. Tasks that
   * await their client hold neither.
   */
  int inFlight();

  /**
   * Returns, by the numbers of classes, how many times each was sent away from the event loops for
   * a while because it was slow there; empty for strategies that never do that.
   */
  default List<Long> demotions() {
    return List.of();
  }

  /**
   * Runs dispatched tasks to their end, then stops the threads. Idempotent; not to be called on an
   * event loop. A task that arrives later runs on the event loop of its connection.
   */
  @Override
  void close();
}
