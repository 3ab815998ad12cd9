package org.nyala.advice;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.traffic.SearchShapes;

/**
 * The table of searches by shape as it was a second ago at most: those who ask for its figures one
 * by one get those of one moment, and cost one look.
 *
 * <p>Thread-safe.
 */
final class RecentLook {
  private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SearchShapes shapes;
  private final LongSupplier nanoClock;
  private SearchShapes.@Nullable Look last;
  private long lookedNanos;

  RecentLook(SearchShapes shapes, LongSupplier nanoClock) {
    this.shapes = shapes;
    this.nanoClock = nanoClock;
  }

  synchronized SearchShapes.Look get() {
    SearchShapes.Look known = last;
    return known != null && nanoClock.getAsLong() - lookedNanos < LASTING_NANOS ? known : renewed();
  }

  /** Returns the table as it is now, which is the last look from now on. */
  synchronized SearchShapes.Look renewed() {
    lookedNanos = nanoClock.getAsLong();
    SearchShapes.Look now = shapes.look();
    last = now;
    return now;
  }

  /** Empties the table. */
  synchronized void clear() {
    shapes.clear();
    last = null;
  }
}
