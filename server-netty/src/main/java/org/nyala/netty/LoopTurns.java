package org.nyala.netty;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The connections of an event loop that have had their turn and wait for another. They continue one
 * after the other for a moment, then the loop looks at its sockets, so that a new arrival waits for
 * one round of turns, not for all work that the others have asked for.
 *
 * <p>Confined to the event loop, except for {@link #allowance}.
 */
final class LoopTurns {
  /** The time for which turns follow each other before sockets are looked at again. */
  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final EventExecutor loop;
  private final Runnable round = this::round;
  private final HandoverAllowance allowance = new HandoverAllowance();
  private final ArrayDeque<ConnectionHandler> waiting = new ArrayDeque<>();
  private boolean isScheduled;

  /** Creates the turns of a loop, for which no connection waits yet; any thread. */
  LoopTurns(EventExecutor loop) {
    this.loop = loop;
  }

  /** Returns the allowance for answers on their way to the loop. Any thread. */
  HandoverAllowance allowance() {
    return allowance;
  }

  /** Queues a connection for another turn; once until it has come. */
  void await(ConnectionHandler connection) {
    waiting.addLast(connection);
    schedule();
  }

  /** Scheduled tasks, whatever their time, come after the loop has looked at its sockets. */
  private void schedule() {
    if (!isScheduled) {
      isScheduled = true;
      Future<?> _ = loop.schedule(round, 0, TimeUnit.NANOSECONDS);
    }
  }

  /** Gives each waiting connection one turn, as far as time allows. */
  private void round() {
    isScheduled = false;
    int count = waiting.size();
    long begun = System.nanoTime();
    for (int i = 0; i < count && System.nanoTime() - begun < ROUND_NANOS; i++) {
      waiting.removeFirst().takeTurn();
    }
    if (!waiting.isEmpty()) {
      schedule();
    }
  }
}
