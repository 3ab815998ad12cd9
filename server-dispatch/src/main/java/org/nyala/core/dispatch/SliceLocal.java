package org.nyala.core.dispatch;

import java.util.function.Supplier;

/**
 * A value that one slice after the other reuses instead of creating it: one for each platform
 * thread. Virtual threads, of which there is one for each task, borrow one for the length of a
 * slice.
 *
 * <p>Thread-safe.
 *
 * @param <T> the type of the value; nothing of a task may stay in it between slices
 */
public final class SliceLocal<T> {
  private final Supplier<T> factory;
  private final ThreadLocal<T> ofThread;

  /** Creates a slot whose values {@code factory} makes if there is none to be reused. */
  public SliceLocal(Supplier<T> factory) {
    this.factory = factory;
    this.ofThread = ThreadLocal.withInitial(factory);
  }

  /** The value for the slice that runs on this thread. */
  public T get() {
    return Thread.currentThread().isVirtual() && SliceLocals.LENT.isBound()
        ? ofSlice()
        : ofThread.get();
  }

  @SuppressWarnings("unchecked") // This key only ever holds values that the factory has made.
  private T ofSlice() {
    return (T) SliceLocals.LENT.get().computeIfAbsent(this, _ -> factory.get());
  }
}
