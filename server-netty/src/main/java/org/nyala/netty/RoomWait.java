package org.nyala.netty;

import org.nyala.core.budget.MemoryAccount;

/**
 * The time for which pieces of a connection's answers have found no room in its account.
 *
 * <p>Thread-safe.
 */
final class RoomWait {
  private final ConnectionHandler connection;
  private final MemoryAccount memory;

  /** The time since when a piece finds no room, never 0; 0 if none waits. */
  private volatile long sinceNanos;

  RoomWait(ConnectionHandler connection, MemoryAccount memory) {
    this.connection = connection;
    this.memory = memory;
  }

  /**
   * Returns whether that has taken longer than operations wait for a permit.
   *
   * @param hasSent true if answers are on their way to the client, whose time does not count
   */
  boolean isOverdue(boolean hasSent) {
    long since = sinceNanos;
    if (since == 0 || hasSent) {
      sinceNanos = connection.session().nanoClock().getAsLong() | 1;
      return false;
    }
    return connection.session().isOverdue(since);
  }

  /** Notes that a piece of an answer has found room. */
  void found() {
    if (sinceNanos != 0) {
      sinceNanos = 0;
    }
  }

  /** Counts an answer that is refused because there is no room for it. */
  void refused() {
    found();
    memory.refused();
  }
}
