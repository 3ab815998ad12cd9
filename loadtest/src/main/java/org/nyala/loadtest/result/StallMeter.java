package org.nyala.loadtest.result;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A meter of the delays of an event loop: of a task every few milliseconds, and of the operations
 * of a schedule. Confined to the channel's event loop.
 */
public final class StallMeter {
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private long dueNanos;
  private long stallNanos;
  private long lagNanos;

  /** Begins to measure, until the event loop ends. */
  public void begin(ScheduledExecutorService eventLoop) {
    dueNanos = System.nanoTime() + PERIOD_NANOS;
    Future<?> _ =
        eventLoop.scheduleWithFixedDelay(
            this::look, PERIOD_NANOS, PERIOD_NANOS, TimeUnit.NANOSECONDS);
  }

  private void look() {
    long now = System.nanoTime();
    stallNanos = Math.max(stallNanos, now - dueNanos);
    dueNanos = now + PERIOD_NANOS;
  }

  /** Records by how much an operation began late though a client was free. */
  public void lagged(long nanos) {
    lagNanos = Math.max(lagNanos, nanos);
  }

  /** Returns the greatest delays since the last call. */
  public Disturbance take() {
    Disturbance taken = new Disturbance(lagNanos / 1e6, stallNanos / 1e6, 0);
    lagNanos = 0;
    stallNanos = 0;
    return taken;
  }
}
