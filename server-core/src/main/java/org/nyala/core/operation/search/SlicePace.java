package org.nyala.core.operation.search;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.filter.Pace;
import org.nyala.core.session.Operation;

/**
 * The end of the current slice: when its time is over, or the answer is no longer wanted. Time
 * limits are checked between slices, which are short.
 *
 * <p>Confined to one running operation.
 */
public final class SlicePace implements Pace {
  private final LongSupplier nanoClock;
  private @Nullable Operation operation;
  private long endNanos;

  public SlicePace(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  public SlicePace begin(Operation running, SliceBudget budget) {
    return begin(running, nanoClock.getAsLong() + budget.nanos());
  }

  /** Begins a slice that ends at the given time. */
  public SlicePace begin(Operation running, long sliceEndNanos) {
    operation = running;
    endNanos = sliceEndNanos;
    return this;
  }

  @Override
  public boolean goesOn() {
    return nanoClock.getAsLong() - endNanos < 0 && mayOutlast();
  }

  @Override
  public boolean mayOutlast() {
    Operation running = operation;
    return running == null || !running.isAbandoned();
  }
}
