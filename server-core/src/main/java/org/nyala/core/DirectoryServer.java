package org.nyala.core;

import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.dispatch.RetiredStrategies;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.OperationRouter;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionEnvironment;
import org.nyala.core.session.SessionListener;

/**
 * The directory without a wire: opens sessions for the connections that a wire brings.
 *
 * <p>Thread-safe. Closing it closes the dispatch strategy; the caller that opened the backends
 * closes them.
 */
public final class DirectoryServer implements AutoCloseable {
  private final ServerMetrics metrics;
  private final RetiredStrategies retired = new RetiredStrategies();
  private final SessionEnvironment environment;
  private volatile ServerLimits limits;
  private volatile DispatchStrategy strategy;

  /**
   * Assembles a server.
   *
   * @param router carries out requests
   * @param strategy runs them
   * @param limits bounds them
   * @param nanoClock times them, in nanoseconds
   */
  public DirectoryServer(
      OperationRouter router,
      DispatchStrategy strategy,
      ServerLimits limits,
      LongSupplier nanoClock) {
    this(
        router,
        strategy,
        limits,
        nanoClock,
        new ServerMetrics(),
        SessionListener.NONE,
        MemoryBudget.ofHeap(nanoClock));
  }

  /**
   * Assembles a server with a given memory budget.
   *
   * @param metrics the counters of the server
   * @param listener notified of client activity
   * @param memory the budget for the memory that clients occupy
   */
  public DirectoryServer(
      OperationRouter router,
      DispatchStrategy strategy,
      ServerLimits limits,
      LongSupplier nanoClock,
      ServerMetrics metrics,
      SessionListener listener,
      MemoryBudget memory) {
    this.strategy = strategy;
    this.metrics = metrics;
    this.limits = limits;
    this.environment =
        new SessionEnvironment(
            router, () -> this.strategy, () -> this.limits, metrics, nanoClock, listener, memory);
  }

  /** Opens a session for a connection; on the connection's event loop. */
  public Session openSession(ClientConnection connection) {
    Session session = new Session(environment, connection);
    environment.listener().opened(session);
    return session;
  }

  /** Sets the limits of sessions from now on, including open ones. */
  public void reconfigure(ServerLimits other) {
    limits = other;
  }

  public ServerMetrics metrics() {
    return metrics;
  }

  /** Returns the budget for the memory that clients occupy. */
  public MemoryBudget memory() {
    return environment.memory();
  }

  /** Drops the caches held on behalf of some owners of {@link #memory}. */
  public void dropKept(Predicate<Object> owners) {
    environment.router().dropKept(owners);
  }

  /** The bounds of sessions. */
  public ServerLimits limits() {
    return limits;
  }

  /** The time on the clock that times requests, in nanoseconds. */
  public long nanoTime() {
    return environment.nanoClock().getAsLong();
  }

  /** The strategy of the moment. */
  public DispatchStrategy strategy() {
    return strategy;
  }

  /** Returns the number of operations under way, including those of retired strategies. */
  public int inFlight() {
    return strategy.inFlight() + retired.inFlight();
  }

  /**
   * Passes new operations to another strategy at once. The previous one finishes its tasks and is
   * closed then; operations that await their clients go on under the new one. Nothing is lost. Not
   * to be called on an event loop.
   */
  public synchronized void switchTo(DispatchStrategy next) {
    DispatchStrategy before = strategy;
    strategy = next;
    retired.retire(before);
  }

  /** Runs the dispatched tasks to their end. Idempotent. */
  @Override
  public void close() {
    strategy.close();
    retired.close();
  }
}
