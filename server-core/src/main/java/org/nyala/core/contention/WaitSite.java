package org.nyala.core.contention;

import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * What stands beside a queue and counts, while a measurement runs, how many went through it and how
 * long each waited, and how often those who serve it went to sleep and were signalled. How long
 * they slept is not asked: who has nothing to do contends with nobody.
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

  /** Whether what begins to wait now should remember {@link #nanoTime()} for {@link #waited}. */
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
   * @param sinceNanos when it began; counts only if that was in the measurement that runs
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
   * Counts a signal for somebody who sleeps. One who has been signalled and does not run yet may be
   * signalled again.
   */
  public void signalled() {
    if (contention.isMeasuring()) {
      signals.increment();
    }
  }

  /** Counts that somebody goes to sleep because there is nothing to do. */
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

  /** What was counted since the measurement began. */
  Counts.Wait read() {
    return new Counts.Wait(
        name(), waits.sum(), signals.sum(), sleeps.sum(), waitNanos.sum(), longestNanos.get());
  }
}
