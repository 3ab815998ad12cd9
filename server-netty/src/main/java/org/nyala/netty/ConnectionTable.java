package org.nyala.netty;

import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;
import org.nyala.core.contention.Contention;

/**
 * A table of the open connections of a server. Each connection is entered, removed and visited on
 * its own event loop; every event on it first asks whether it is still in the table.
 *
 * <p>Thread-safe under the conditions that the methods state. Hot: {@link #holds}.
 *
 * @param <C> the connections
 */
interface ConnectionTable<C extends ConnectionTable.Member> {
  /** The properties of a connection that a table uses. Confined to its event loop. */
  interface Member {
    /** Returns a number that no other open connection has; any thread. */
    int number();

    /** Returns the event loop that serves it; any thread. */
    EventExecutor loop();

    /** Returns the place that {@link #moveTo} has set. */
    int place();

    /** Sets its place among the connections of its event loop. */
    void moveTo(int place);
  }

  /** Returns the table for the settings, without measuring contention. */
  static <C extends Member> ConnectionTable<C> of(
      WireSettings.Table setting, Iterable<EventExecutor> loops) {
    return of(setting, loops, Contention.UNMEASURED);
  }

  /**
   * Returns the table for the settings, for the connections of {@code loops}.
   *
   * @param contention creates its locks
   */
  static <C extends Member> ConnectionTable<C> of(
      WireSettings.Table setting, Iterable<EventExecutor> loops, Contention contention) {
    return setting.locks() == 0
        ? new PerLoopTable<>(loops)
        : new LockedTable<>(setting.locks(), contention);
  }

  /**
   * Enters a connection; on its event loop.
   *
   * @throws IllegalStateException if another open connection has its number, as may happen after
   *     two thousand million connections, or if its event loop is not the server's
   */
  void add(C connection);

  /** Removes a connection that was entered; on its event loop. */
  void remove(C connection);

  /**
   * Returns whether the connection is in the table, so that an event on it still matters; any
   * thread.
   */
  boolean holds(C connection);

  /**
   * Visits every connection of an event loop, on that loop and under no lock. The visitor may
   * remove the connection that it visits.
   */
  void forEach(EventExecutor loop, Consumer<? super C> visitor);
}
