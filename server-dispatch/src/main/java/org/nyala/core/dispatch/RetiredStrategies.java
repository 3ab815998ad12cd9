package org.nyala.core.dispatch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.nyala.core.contention.Threads;

/**
 * The strategies that get no new tasks and finish those they have, each on a thread of its own: a
 * change of strategy does not wait for a slow hash that the previous one has begun.
 *
 * <p>Thread-safe.
 */
public final class RetiredStrategies implements AutoCloseable {
  /**
   * The maximum number of strategies that end their work at once. Each keeps its threads until
   * then, so beyond that a change waits for the strategy retired first.
   */
  static final int MOST = 8;

  private record Retired(DispatchStrategy strategy, Thread closing) {}

  /** The retired strategies, oldest first; read by counting threads while a change waits. */
  private final List<Retired> retired = new CopyOnWriteArrayList<>();

  /** Finishes the tasks of a strategy, and closes it then. Not to be called on an event loop. */
  public synchronized void retire(DispatchStrategy strategy) {
    retired.removeIf(each -> !each.closing().isAlive());
    if (retired.size() == MOST) {
      Threads.join(retired.getFirst().closing());
      retired.removeFirst();
    }
    Thread closing =
        Thread.ofPlatform().name("nyala-retired-" + strategy.name()).start(strategy::close);
    retired.add(new Retired(strategy, closing));
  }

  /** Returns the number of tasks that they have still to end. */
  public int inFlight() {
    int sum = 0;
    for (Retired each : retired) {
      sum += each.strategy().inFlight();
    }
    return sum;
  }

  /** Waits until all have finished their tasks. Idempotent. */
  @Override
  public synchronized void close() {
    while (!retired.isEmpty()) {
      Threads.join(retired.getFirst().closing());
      retired.removeFirst();
    }
  }
}
