package org.nyala.server;

import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import org.nyala.config.NyalaConfig;
import org.nyala.core.contention.Contention;
import org.nyala.core.dispatch.DispatchSettings;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.dispatch.DispatchStrategy;
import org.nyala.service.ThreadScheduling;

/**
 * Creates dispatch strategies from the configuration.
 *
 * <p>Thread-safe.
 */
final class ConfiguredStrategies {
  private final LongSupplier nanoClock;
  private final Contention contention;

  /** The settings, replaced when the configuration is reloaded. */
  private volatile NyalaConfig.Dispatch settings;

  ConfiguredStrategies(SharedComponents shared) {
    this.nanoClock = shared.nanoClock();
    this.contention = shared.contention();
    this.settings = shared.configuration().dispatch();
  }

  /**
   * Creates a strategy.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  DispatchStrategy create(String name) {
    NyalaConfig.Dispatch dispatch = settings;
    ThreadFactory hashers = ThreadScheduling.nice(dispatch.hashNiceness(), threads("nyala-hash-"));
    return DispatchStrategies.create(
        name,
        new DispatchSettings(
            dispatch.workers(),
            dispatch.queues(),
            dispatch.permits(),
            dispatch.laziness(),
            dispatch.hashThreads(),
            dispatch.diskThreads(),
            dispatch.ownerSharePercent(),
            threads("nyala-worker-"),
            threads("nyala-disk-"),
            hashers,
            nanoClock,
            contention));
  }

  private static ThreadFactory threads(String name) {
    return Thread.ofPlatform().daemon().name(name, 1).factory();
  }

  /** Replaces the settings; returns the previous ones. One caller at a time. */
  NyalaConfig.Dispatch exchange(NyalaConfig.Dispatch other) {
    NyalaConfig.Dispatch before = settings;
    settings = other;
    return before;
  }

  /** Returns the number of workers beside the event loops. */
  int workers() {
    return settings.workerThreads();
  }
}
