package org.nyala.management.page;

import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A part of the page that costs something to make: it is made again once its last making is a four
 * hundredth of the time since then, so that it takes a quarter of a percent of a processor at most.
 *
 * <p>Thread-safe. Nothing is made unless somebody asks.
 */
final class Paced<T> {
  /** The rest after a making, as a multiple of its time. */
  private static final int REST = 400;

  /** The same if there is a reason to look again soon. */
  private static final int SHORT_REST = 40;

  private static final System.Logger LOG = System.getLogger(Paced.class.getName());

  private final Supplier<T> source;
  private final Executor executor;
  private final long leastNanos;
  private final long mostNanos;
  private @Nullable T value;
  private boolean isMade;
  private boolean isMaking;
  private boolean isStale;
  private long madeNanos;
  private long costNanos;

  /**
   * Creates a part that is not made yet.
   *
   * @param executor makes it, on the thread that asks or another one
   * @param leastSeconds the least time between two makings
   * @param mostSeconds the time after which it is made again, whatever it costs
   */
  Paced(Supplier<T> source, Executor executor, int leastSeconds, int mostSeconds) {
    this.source = source;
    this.executor = executor;
    this.leastNanos = TimeUnit.SECONDS.toNanos(leastSeconds);
    this.mostNanos = TimeUnit.SECONDS.toNanos(mostSeconds);
  }

  /** Returns the part as it was made last, and has it made again if it is time; null before. */
  @Nullable T get() {
    if (begins(System.nanoTime())) {
      try {
        executor.execute(this::make);
      } catch (RejectedExecutionException e) {
        ended(null, System.nanoTime());
      }
    }
    synchronized (this) {
      return value;
    }
  }

  private synchronized boolean begins(long now) {
    boolean isDue =
        !isMade
            || now - madeNanos >= Math.min(mostNanos, costNanos * (isStale ? SHORT_REST : REST));
    boolean isEarly = isMade && !isStale && now - madeNanos < leastNanos;
    boolean begins = isDue && !isEarly && !isMaking;
    isMaking |= begins;
    // A change from now on is one for the next making.
    isStale &= !begins;
    return begins;
  }

  private void make() {
    long began = System.nanoTime();
    T made = null;
    try {
      made = source.get();
    } catch (RuntimeException e) {
      // Such as a store that cannot be read, or is closed; the part stays as it was.
      LOG.log(Level.DEBUG, "a part of the live page could not be made", e);
    } finally {
      ended(made, began);
    }
  }

  private synchronized void ended(@Nullable T made, long began) {
    value = made == null ? value : made;
    madeNanos = System.nanoTime();
    costNanos = madeNanos - began;
    isMade = true;
    isMaking = false;
  }

  /** Says that something has changed: it is made again soon. */
  synchronized void touch() {
    isStale = true;
  }

  /** Returns the seconds since it was made. */
  synchronized long ageSeconds() {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - madeNanos);
  }
}
