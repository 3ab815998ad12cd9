package org.nyala.core.dispatch;

import java.util.function.BiFunction;
import org.nyala.core.contention.Threads;

/**
 * The threads off the event loops: places for work, a pool for slow hashes, and the way between
 * them.
 *
 * <p>Thread-safe.
 */
final class Workers {
  /** The choice of the place for a task. Thread-safe. */
  @FunctionalInterface
  interface Choice {
    /** The one of {@code places}, of which there is at least one, for {@code task}. */
    WorkQueue choose(WorkQueue[] places, Task task);

    /**
     * Returns whether {@code task}, which yielded in {@code from}, is to continue in another place.
     */
    default boolean leaves(WorkQueue[] places, WorkQueue from, Task task) {
      return false;
    }

    /** Runs a slice of a task in any place. */
    default Task.Outcome run(Task task) {
      return Slices.run(task, Slices.WORKER);
    }
  }

  /**
   * Hashes that may run or queue, per thread: at tens of milliseconds each the last one starts
   * within seconds. More connections than that wait unread.
   */
  private static final int HASH_PERMITS_PER_THREAD = 32;

  private static final int HASH_LAZINESS = 1;

  private final WorkQueue[] places;
  private final Choice choice;
  private final WorkQueue hashPool;
  private final RunToCompletionDispatch afterClose = new RunToCompletionDispatch();
  private volatile boolean closed;

  /**
   * Starts the threads.
   *
   * @param places the factory of places, at least one
   * @param choice the choice among them
   */
  Workers(
      DispatchSettings settings,
      BiFunction<DispatchSettings, WorkQueue.Route, WorkQueue[]> places,
      Choice choice) {
    this.choice = choice;
    WorkQueue.Route route = new ChosenRoute();
    this.places = places.apply(settings, route);
    int threads = settings.hashThreadCount();
    int permits = threads * HASH_PERMITS_PER_THREAD;
    this.hashPool =
        WorkerPool.startFair(
            settings.sites("hash pool"),
            threads,
            new Throttle(permits, HASH_LAZINESS, settings.ownerSharePercent(), permits),
            route,
            settings.hashers());
  }

  static WorkQueue ofConnection(WorkQueue[] places, Task task) {
    return places[Integer.remainderUnsigned(task.connectionNumber(), places.length)];
  }

  /**
   * The place with the least to do; among equals the first from the connection's own on, so that an
   * idle server spreads connections.
   */
  static WorkQueue leastLoaded(WorkQueue[] places, Task task) {
    return leastLoaded(places, places.length, task);
  }

  /** Returns the same among the first {@code count} places, at least one. */
  static WorkQueue leastLoaded(WorkQueue[] places, int count, Task task) {
    int first = Integer.remainderUnsigned(task.connectionNumber(), count);
    WorkQueue least = places[first];
    int load = least.inFlight();
    for (int i = 1; i < count && load > 0; i++) {
      WorkQueue other = places[(first + i) % count];
      int otherLoad = other.inFlight();
      if (otherLoad < load) {
        least = other;
        load = otherLoad;
      }
    }
    return least;
  }

  /**
   * Takes a task from an event loop: slow hashes to their pool, the rest to the place of choice.
   *
   * @return false if it waits for a permit
   */
  boolean enter(Task task) {
    if (closed) {
      afterClose.resume(task);
      return true;
    }
    return place(task).enter(task);
  }

  /** Takes a task that is under way. */
  void resume(Task task) {
    if (closed) {
      afterClose.resume(task);
    } else {
      place(task).reenter(task);
    }
  }

  /** Takes back a task that waits for a permit; false if it does not. */
  boolean withdraw(Task task) {
    for (WorkQueue place : places) {
      if (place.withdraw(task)) {
        return true;
      }
    }
    return hashPool.withdraw(task);
  }

  /** Takes back a task that waits for a thread for slow hashes; false if it does not. */
  boolean recall(Task task) {
    return hashPool.recall(task);
  }

  private WorkQueue place(Task task) {
    return task.lane() == Task.Lane.HASH ? hashPool : choice.choose(places, task);
  }

  /** The way of a task from slice to slice. */
  private final class ChosenRoute implements WorkQueue.Route {
    @Override
    public WorkQueue next(Task task, WorkQueue from) {
      boolean moves =
          task.lane() == Task.Lane.HASH || from == hashPool || choice.leaves(places, from, task);
      return moves ? place(task) : from;
    }

    @Override
    public Task.Outcome run(Task task) {
      return choice.run(task);
    }
  }

  int inFlight() {
    int sum = hashPool.inFlight() + afterClose.inFlight();
    for (WorkQueue place : places) {
      sum += place.inFlight();
    }
    return sum;
  }

  /**
   * Runs all tasks to their end, then stops the threads. A task that slips past the count while it
   * moves from one place to another still ends: stopped places run stragglers on their callers.
   */
  synchronized void close() {
    closed = true;
    Threads.awaitThat(() -> inFlight() == 0);
    for (WorkQueue place : places) {
      place.stop();
    }
    hashPool.stop();
    Threads.awaitThat(() -> inFlight() == 0);
  }
}
