package org.nyala.loadtest.jmh;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A meter that keeps a benchmark's thread in step with a load that runs by itself, so that the
 * benchmark counts the throughput of the load. Confined to the benchmark's thread.
 */
public final class LoadMeter {
  /** The time between two polls, long enough to cost the load nothing. */
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(60);

  private long target;

  /** Creates a meter that counts from the first operation of a load. */
  public LoadMeter() {}

  /** Starts over: earlier operations are not counted. */
  public void begin(ClosedLoad load) {
    load.takeLatencies();
    target = load.completed();
  }

  /**
   * Waits until so many more operations have ended than earlier calls have waited for.
   *
   * @throws IllegalStateException if none has ended for a minute
   */
  public void await(ClosedLoad load, int operations) {
    target += operations;
    long done = load.completed();
    long lastProgress = System.nanoTime();
    while (done < target) {
      LockSupport.parkNanos(POLL_NANOS);
      long now = load.completed();
      if (now > done) {
        done = now;
        lastProgress = System.nanoTime();
      } else if (System.nanoTime() - lastProgress > STALL_NANOS) {
        throw new IllegalStateException("no operation has ended for a minute");
      }
    }
  }
}
