package org.nyala.core.dispatch;

/**
 * Somewhere off the event loops where tasks queue up and run under permits. Thread-safe.
 *
 * <p>A task holds one permit of the place where it is. The place gives the permit back when the
 * task ends, awaits its client, or moves on.
 */
interface Place {
  /** Says where a task goes on that has yielded. Thread-safe. */
  @FunctionalInterface
  interface Route {
    /** The place for the next slice of {@code task}, which ran its last one in {@code from}. */
    Place next(Task task, Place from);
  }

  /**
   * Takes a task from an event loop.
   *
   * @return false when it waits for a permit
   */
  boolean enter(Task task);

  /** Takes a task that is under way; needs no free permit. */
  void reenter(Task task);

  /** How many tasks hold or await a permit here. */
  int inFlight();

  /** Ends the threads once their queues are empty; what comes later runs on its caller. */
  void stop();
}
