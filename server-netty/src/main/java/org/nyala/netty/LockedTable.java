package org.nyala.netty;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.nyala.core.contention.Contention;
import org.nyala.core.contention.LockSite;

/**
 * One table for all event loops and workers, divided into as many parts as there are locks; each
 * event looks up its connection by number, under the lock of its part.
 *
 * <p>Thread-safe.
 */
final class LockedTable<C extends ConnectionTable.Member> implements ConnectionTable<C> {
  /*
   * The scheme of slapd with connections_mutex, and with SLAP_MULTI_CONN_ARRAY: connection_get() at
   * the start of every event on a connection. It is here for comparison. Unlike there, the lock is
   * not held while the connection reads: an event loop may run a whole operation then.
   */
  private final Part<C>[] parts;

  /** The connections whose numbers leave the same remainder. */
  private static final class Part<C extends Member> {
    /** Large enough that neighbouring locks do not share a cache line. */
    private static final int CAPACITY = 64;

    private final LockSite lock;
    private final IntObjectHashMap<C> byNumber = new IntObjectHashMap<>(CAPACITY);

    Part(LockSite lock) {
      this.lock = lock;
    }
  }

  /**
   * Creates a table.
   *
   * @param locks the number of locks, at least 1
   * @param contention creates them
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  LockedTable(int locks, Contention contention) {
    parts = new Part[locks];
    for (int i = 0; i < locks; i++) {
      parts[i] = new Part<>(contention.lock(name(i, locks)));
    }
  }

  private static String name(int index, int locks) {
    return "connection table: lock" + (locks == 1 ? "" : " " + (index + 1) + " of " + locks);
  }

  private Part<C> part(C connection) {
    return parts[Integer.remainderUnsigned(connection.number(), parts.length)];
  }

  @Override
  public void add(C connection) {
    Part<C> part = part(connection);
    int number = connection.number();
    part.lock.lock();
    try {
      if (part.byNumber.containsKey(number)) {
        throw new IllegalStateException("two connections with the number " + number);
      }
      part.byNumber.put(number, connection);
    } finally {
      part.lock.unlock();
    }
  }

  @Override
  public void remove(C connection) {
    Part<C> part = part(connection);
    part.lock.lock();
    try {
      part.byNumber.remove(connection.number());
    } finally {
      part.lock.unlock();
    }
  }

  @Override
  public boolean holds(C connection) {
    Part<C> part = part(connection);
    part.lock.lock();
    try {
      return part.byNumber.get(connection.number()) == connection;
    } finally {
      part.lock.unlock();
    }
  }

  /** Each connection is looked up again before it is visited. */
  @Override
  public void forEach(EventExecutor loop, Consumer<? super C> visitor) {
    for (Part<C> part : parts) {
      for (C connection : ofLoop(part, loop)) {
        if (holds(connection)) {
          visitor.accept(connection);
        }
      }
    }
  }

  private List<C> ofLoop(Part<C> part, EventExecutor loop) {
    List<C> found = new ArrayList<>();
    part.lock.lock();
    try {
      for (C connection : part.byNumber.values()) {
        if (connection.loop() == loop) {
          found.add(connection);
        }
      }
    } finally {
      part.lock.unlock();
    }
    return found;
  }
}
