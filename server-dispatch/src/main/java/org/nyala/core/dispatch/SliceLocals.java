package org.nyala.core.dispatch;

import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;

/**
 * The values that slices on virtual threads borrow: sets of {@link SliceLocal} values, each lent
 * for one slice, as many as run at once.
 *
 * <p>Thread-safe.
 */
final class SliceLocals {
  /** The set that was lent to the slice that runs now. */
  static final ScopedValue<Map<SliceLocal<?>, Object>> LENT = ScopedValue.newInstance();

  private final ConcurrentLinkedQueue<Map<SliceLocal<?>, Object>> idle =
      new ConcurrentLinkedQueue<>();

  /** Runs a slice with a set of values that no other slice uses meanwhile. */
  boolean callWithin(BooleanSupplier slice) {
    Map<SliceLocal<?>, Object> known = idle.poll();
    Map<SliceLocal<?>, Object> lent = known != null ? known : new WeakHashMap<>();
    try {
      return ScopedValue.where(LENT, lent).call(slice::getAsBoolean);
    } finally {
      idle.add(lent);
    }
  }
}
