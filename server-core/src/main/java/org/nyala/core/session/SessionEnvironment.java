package org.nyala.core.session;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.metrics.ServerMetrics;

/**
 * Services and settings shared by all sessions.
 *
 * <p>Immutable.
 *
 * @param router the router that finds the body of a request
 * @param strategy the present dispatch strategy
 * @param limitsNow the present limits
 * @param metrics the counters
 * @param nanoClock the clock for arrival times, in nanoseconds
 * @param listener the listener for client activity
 * @param memory the memory budget of their connections
 * @param hashes the operations that wait for a slow hash
 */
public record SessionEnvironment(
    OperationRouter router,
    Supplier<DispatchStrategy> strategy,
    Supplier<ServerLimits> limitsNow,
    ServerMetrics metrics,
    LongSupplier nanoClock,
    SessionListener listener,
    MemoryBudget memory,
    HashQueue hashes) {
  /** Services of which as many operations wait for a slow hash as the present limits allow. */
  public SessionEnvironment(
      OperationRouter router,
      Supplier<DispatchStrategy> strategy,
      Supplier<ServerLimits> limitsNow,
      ServerMetrics metrics,
      LongSupplier nanoClock,
      SessionListener listener,
      MemoryBudget memory) {
    this(
        router,
        strategy,
        limitsNow,
        metrics,
        nanoClock,
        listener,
        memory,
        new HashQueue(limitsNow, nanoClock));
  }

  /** The bounds of the moment. */
  public ServerLimits limits() {
    return limitsNow.get();
  }
}
