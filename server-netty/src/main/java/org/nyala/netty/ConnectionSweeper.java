package org.nyala.netty;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Makes every connection check its timeouts periodically, on its event loop: one timer for all
 * connections of a loop, and none for each request.
 *
 * <p>Thread-safe.
 */
final class ConnectionSweeper {
  private static final long MAXIMUM_MILLIS = 1000;
  private static final long MINIMUM_MILLIS = 10;

  /**
   * The interval while memory is short. Soon enough for waiting connections; a sweep of all
   * connections takes time.
   */
  private static final long TIGHT_MILLIS = 100;

  /**
   * The time from one wake-up to the next: visiting 50,000 connections takes a millisecond or two,
   * more if they have operations, and one client that stays near its bound could cause it all the
   * time.
   */
  private static final long WAKE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final ConnectionTable<ConnectionHandler> table;
  private final Supplier<WireSettings> settings;
  private final LongSupplier nanoClock;
  private final BooleanSupplier isTight;
  private final AtomicBoolean isWakePending = new AtomicBoolean();
  private final AtomicLong wokenNanos = new AtomicLong(System.nanoTime() - WAKE_NANOS);

  /**
   * Makes a sweeper that has not begun.
   *
   * @param settings supplies the timeouts of the moment
   * @param nanoClock the clock of the timeouts, in nanoseconds
   * @param isTight returns whether connections wait for memory that others hold: apart from {@link
   *     #wake}, only a sweep lets them continue
   */
  ConnectionSweeper(
      ConnectionTable<ConnectionHandler> table,
      Supplier<WireSettings> settings,
      LongSupplier nanoClock,
      BooleanSupplier isTight) {
    this.table = table;
    this.settings = settings;
    this.nanoClock = nanoClock;
    this.isTight = isTight;
  }

  /**
   * Sweeps the connections of an event loop until it ends, each time in time for the current
   * timeouts, which may be others the next time.
   */
  void begin(EventExecutor loop) {
    Future<?> _ =
        loop.schedule(
            () -> {
              if (!loop.isShuttingDown()) {
                begin(loop);
                sweep(loop);
              }
            },
            sweepMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** Also sweeps as often as possible, because the server drains. */
  void hurry(EventExecutor loop) {
    Future<?> _ =
        loop.scheduleAtFixedRate(
            () -> sweep(loop), MINIMUM_MILLIS, MINIMUM_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Resumes connections and operations that wait for memory, soon. Any thread. */
  void wake(Iterable<EventExecutor> loops) {
    long now = System.nanoTime();
    long last = wokenNanos.get();
    try {
      if (now - last < WAKE_NANOS) {
        wakeLater(loops, last + WAKE_NANOS - now);
      } else if (wokenNanos.compareAndSet(last, now)) {
        for (EventExecutor loop : loops) {
          loop.execute(() -> table.forEach(loop, ConnectionHandler::wake));
        }
      }
    } catch (RejectedExecutionException e) {
      // The server ends, and all connections with it, so none waits any more.
      wokenNanos.set(now);
    }
  }

  private void wakeLater(Iterable<EventExecutor> loops, long delayNanos) {
    if (isWakePending.compareAndSet(false, true)) {
      Future<?> _ =
          loops
              .iterator()
              .next()
              .schedule(
                  () -> {
                    isWakePending.set(false);
                    wake(loops);
                  },
                  delayNanos,
                  TimeUnit.NANOSECONDS);
    }
  }

  private void sweep(EventExecutor loop) {
    long now = nanoClock.getAsLong();
    table.forEach(loop, connection -> connection.sweep(now));
  }

  /** Returns a quarter of the shortest timeout, within bounds. */
  private long sweepMillis() {
    WireSettings now = settings.get();
    long shortest = MAXIMUM_MILLIS * 4;
    long[] timeouts = {
      now.timeouts().partialPduMillis(),
      now.timeouts().idleMillis(),
      now.timeouts().writeStallMillis()
    };
    for (long timeout : timeouts) {
      shortest = timeout == 0 ? shortest : Math.min(shortest, timeout);
    }
    long most = isTight.getAsBoolean() ? TIGHT_MILLIS : MAXIMUM_MILLIS;
    return Math.clamp(shortest / 4, MINIMUM_MILLIS, most);
  }
}
