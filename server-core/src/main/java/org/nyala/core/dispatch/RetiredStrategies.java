package org.nyala.core.dispatch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Strategies that get nothing new any more and end what they have, each on a thread of its own:
 * whoever changed the strategy does not wait for a slow hash that the one before has begun.
 *
 * <p>Thread-safe.
 */
public final class RetiredStrategies implements AutoCloseable {
  /**
   * How many end their work at once. Each has its threads until then, so beyond that a change waits
   * for the one that was first to go.
   */
  static final int MOST = 8;

  private record Retired(DispatchStrategy strategy, Thread closing) {}

  /** Those that went first come first; read by whoever counts while a change waits. */
  private final List<Retired> retired = new CopyOnWriteArrayList<>();

  /** Lets a strategy end what it has, and closes it then. Not to be called on an event loop. */
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

  /** How many tasks they have still to end. */
  public int inFlight() {
    int sum = 0;
    for (Retired each : retired) {
      sum += each.strategy().inFlight();
    }
    return sum;
  }

  /** Waits until all have ended what they had. Idempotent. */
  @Override
  public synchronized void close() {
    while (!retired.isEmpty()) {
      Threads.join(retired.getFirst().closing());
      retired.removeFirst();
    }
  }
}
