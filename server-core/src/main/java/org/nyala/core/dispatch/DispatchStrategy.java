package org.nyala.core.dispatch;

import java.util.Map;

/**
 * Where and when tasks run: a composition of who decodes, which queue, and who is throttled.
 * Operations never look at their thread.
 *
 * <p>Thread-safe.
 */
public interface DispatchStrategy extends AutoCloseable {
  /** Who turns bytes into requests. */
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

  /** Who decodes under this strategy. */
  DecodePlacement decodePlacement();

  /**
   * Takes a new task; called on its connection's event loop, which it never blocks. The task may
   * run before this returns.
   *
   * @return false when the task waits for a permit: the connection stops reading until {@link
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
   * @return false when it does not wait here, or not any longer: then it is admitted, unless
   *     another strategy has it
   */
  default boolean withdraw(Task task) {
    return false;
  }

  /**
   * How many tasks hold a permit or a place in a queue; 0 when idle. Tasks that await their client
   * hold neither.
   */
  int inFlight();

  /**
   * How often operations of a class had to leave the event loops for a while because they were slow
   * there; nothing under strategies in which that does not happen.
   */
  default Map<OperationClass, Long> demotions() {
    return Map.of();
  }

  /**
   * Runs what was dispatched to its end, then stops the threads. Idempotent; not to be called on an
   * event loop. A task that arrives later runs on the event loop of its connection.
   */
  @Override
  void close();
}
