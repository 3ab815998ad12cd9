package org.nyala.core.session;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.metrics.ServerMetrics;

/**
 * What sessions share.
 *
 * <p>Immutable.
 *
 * @param router finds what carries out a request
 * @param strategy the dispatch strategy of the moment
 * @param limitsNow the bounds of the moment
 * @param metrics the counters
 * @param nanoClock the clock for arrival times, in nanoseconds
 * @param listener is told what clients do
 * @param memory what their connections may hold
 */
public record SessionEnvironment(
    OperationRouter router,
    Supplier<DispatchStrategy> strategy,
    Supplier<ServerLimits> limitsNow,
    ServerMetrics metrics,
    LongSupplier nanoClock,
    SessionListener listener,
    MemoryBudget memory) {
  /** For sessions whose bounds do not change. */
  public SessionEnvironment(
      OperationRouter router,
      Supplier<DispatchStrategy> strategy,
      ServerLimits limits,
      ServerMetrics metrics,
      LongSupplier nanoClock,
      SessionListener listener) {
    this(
        router,
        strategy,
        () -> limits,
        metrics,
        nanoClock,
        listener,
        MemoryBudget.ofHeap(nanoClock));
  }

  /** The bounds of the moment. */
  public ServerLimits limits() {
    return limitsNow.get();
  }
}
