package org.nyala.loadtest.jmh;

import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.DispatchStrategy;

/** Makes the strategies that benchmarks measure. */
public final class StrategyChoice {
  private StrategyChoice() {}

  /**
   * Starts a strategy with automatic settings, but for the number of workers.
   *
   * @param workers threads beside the event loops; 0 is one per processor
   * @throws IllegalArgumentException if no strategy of this name is offered
   */
  public static DispatchStrategy create(String name, int workers) {
    DispatchSettings automatic =
        DispatchSettings.automatic(
            Thread.ofPlatform().daemon().name("worker-", 0).factory(), System::nanoTime);
    return DispatchStrategies.create(
        name,
        new DispatchSettings(
            workers,
            automatic.queues(),
            automatic.permits(),
            automatic.laziness(),
            automatic.hashThreads(),
            automatic.threads(),
            automatic.nanoClock()));
  }
}
