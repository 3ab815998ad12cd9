package org.nyala.netty;

import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;
import org.nyala.core.contention.Contention;

/**
 * Where the open connections of a server are kept. Each connection is entered, removed and visited
 * on its own event loop; every event on it asks first whether it is still there.
 *
 * <p>Thread-safe under the conditions that the methods name. Hot: {@link #holds}.
 *
 * @param <C> the connections
 */
interface ConnectionTable<C extends ConnectionTable.Member> {
  /** What a table needs to know of a connection. Confined to its event loop. */
  interface Member {
    /** A number that no other open connection has; any thread. */
    int number();

    /** The event loop that serves it; any thread. */
    EventExecutor loop();

    /** The place that {@link #moveTo} has set. */
    int place();

    /** Keeps its place among the connections of its event loop. */
    void moveTo(int place);
  }

  /** The table that the settings ask for, where nobody measures it. */
  static <C extends Member> ConnectionTable<C> of(
      WireSettings.Table setting, Iterable<EventExecutor> loops) {
    return of(setting, loops, Contention.UNMEASURED);
  }

  /**
   * The table that the settings ask for, for the connections of {@code loops}.
   *
   * @param contention makes its locks
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

  /** Whether an event on the connection still means anything; any thread. */
  boolean holds(C connection);

  /**
   * Visits every connection of an event loop, on that loop and under no lock. The visitor may
   * remove the connection that it visits.
   */
  void forEach(EventExecutor loop, Consumer<? super C> visitor);
}
