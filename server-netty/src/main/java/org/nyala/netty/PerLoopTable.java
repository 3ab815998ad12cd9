package org.nyala.netty;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A table for each event loop, used by no other thread, so that no lock is needed. A connection's
 * events come to the connection itself: nothing is looked up.
 *
 * <p>Each table is confined to its event loop; the set of tables never changes.
 */
final class PerLoopTable<C extends ConnectionTable.Member> implements ConnectionTable<C> {
  private final IdentityHashMap<EventExecutor, List<C>> byLoop = new IdentityHashMap<>();

  PerLoopTable(Iterable<EventExecutor> loops) {
    for (EventExecutor loop : loops) {
      byLoop.put(loop, new ArrayList<>());
    }
  }

  private List<C> of(EventExecutor loop) {
    @Nullable List<C> connections = byLoop.get(loop);
    if (connections == null) {
      throw new IllegalStateException("an event loop that is not the server's");
    }
    return connections;
  }

  @Override
  public void add(C connection) {
    List<C> connections = of(connection.loop());
    connection.moveTo(connections.size());
    connections.add(connection);
  }

  /** The last connection moves to the place that becomes free. */
  @Override
  public void remove(C connection) {
    List<C> connections = of(connection.loop());
    C last = connections.removeLast();
    if (last != connection) {
      connections.set(connection.place(), last);
      last.moveTo(connection.place());
    }
  }

  @Override
  public boolean holds(C connection) {
    return true;
  }

  @Override
  public void forEach(EventExecutor loop, Consumer<? super C> visitor) {
    List<C> connections = of(loop);
    // From the end: a connection that is removed is replaced by one that was already visited.
    for (int i = connections.size() - 1; i >= 0; i--) {
      visitor.accept(connections.get(i));
    }
  }
}
