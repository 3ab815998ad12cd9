package org.nyala.core.contention;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * A counter beside a queue: while a measurement runs it counts the items that passed, their waiting
 * times, and how often the threads that serve the queue went to sleep and were signalled. Sleeping
 * times are not measured: an idle thread contends for nothing.
 *
 * <p>Thread-safe.
 */
public final class WaitSite extends Site {
  private final LongAdder waits = new LongAdder();
  private final LongAdder waitNanos = new LongAdder();
  private final LongAccumulator longestNanos = new LongAccumulator(Math::max, 0);
  private final LongAdder signals = new LongAdder();
  private final LongAdder sleeps = new LongAdder();

  WaitSite(Contention contention, String name) {
    super(contention, name);
  }

  /**
   * Returns whether an item that begins to wait now should remember {@link #nanoTime()} for {@link
   * #waited}.
   */
  public boolean isMeasured() {
    return contention.isMeasuring();
  }

  /** The clock, in nanoseconds. */
  public long nanoTime() {
    return contention.nanoTime();
  }

  /**
   * Counts a wait that is over.
   *
   * @param sinceNanos the time at which it began; counted only if that was within the running
   *     measurement
   */
  public void waited(long sinceNanos) {
    if (contention.hasRunSince(sinceNanos)) {
      long nanos = contention.nanoTime() - sinceNanos;
      waits.increment();
      waitNanos.add(nanos);
      longestNanos.accumulate(nanos);
    }
  }

  /**
   * Counts a signal to a sleeping thread. A signalled thread that does not run yet may be signalled
   * again.
   */
  public void signalled() {
    if (contention.isMeasuring()) {
      signals.increment();
    }
  }

  /** Counts that a thread goes to sleep because there is nothing to do. */
  public void asleep() {
    if (contention.isMeasuring()) {
      sleeps.increment();
    }
  }

  @Override
  void reset() {
    waits.reset();
    waitNanos.reset();
    longestNanos.reset();
    signals.reset();
    sleeps.reset();
  }

  /** Returns the counts since the measurement began. */
  Counts.Wait read() {
    return new Counts.Wait(
        name(), waits.sum(), signals.sum(), sleeps.sum(), waitNanos.sum(), longestNanos.get());
  }
}
