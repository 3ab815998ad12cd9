package org.nyala.dynamic;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Deletes expired entries, at the start and then at intervals.
 *
 * <p>Thread-safe.
 */
final class ExpiryTimer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ExpiryTimer.class.getName());

  private final ScheduledExecutorService executor =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("nyala-expiry").factory());

  private ExpiryTimer() {}

  static ExpiryTimer start(DynamicEntries entries, DynamicSettings settings) {
    ExpiryTimer timer = new ExpiryTimer();
    // Entries that expired while no server ran are deleted at once.
    var _ =
        timer.executor.scheduleWithFixedDelay(
            () -> expire(entries), 0, settings.checkIntervalSeconds(), TimeUnit.SECONDS);
    return timer;
  }

  /** Deletes expired entries; an exception would end the timer. */
  private static void expire(DynamicEntries entries) {
    try {
      entries.expire();
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "expired entries stay", e);
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
