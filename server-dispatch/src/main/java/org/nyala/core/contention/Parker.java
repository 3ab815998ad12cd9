package org.nyala.core.contention;

import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The sleep of the one thread that serves a queue without locks. The thread polls the empty queue
 * for some microseconds, then parks; producers wake it only if it is asleep.
 *
 * <p>Thread-safe; {@link #await} is for the thread that serves. Hot: {@link #wake} costs a fence
 * and a read if the thread is awake.
 */
public final class Parker {
  private final Collection<?> queue;
  private final int spins;
  private final WaitSite site;

  /** The thread that is asleep, or null. */
  private final AtomicReference<@Nullable Thread> sleeper = new AtomicReference<>();

  private volatile boolean stopping;

  /**
   * Creates a parker beside a queue.
   *
   * @param queue any thread adds to it; additions are visible to {@code isEmpty} in other threads
   * @param spins the number of polls of the empty queue before sleeping: some microseconds, about
   *     the cost to a producer of waking a sleeper. More would burn processors that others need
   * @param site counts sleeps and signals
   */
  public Parker(Collection<?> queue, int spins, WaitSite site) {
    this.queue = queue;
    this.spins = spins;
    this.site = site;
  }

  /*
   * Either the producer, after its addition, sees the thread asleep, or the thread, after it has said so, sees the addition: both
   * sides write before they read. The same holds for stop(). The fence is needed: a queue in chunks that begins a new one ends its
   * addition with an ordered store of its index, which the read of the sleeper could overtake.
   */
  /** Waits for additions; returns false if there will be none: the queue is empty and stopped. */
  public boolean await() {
    for (int i = 0; i < spins; i++) {
      if (!queue.isEmpty()) {
        return true;
      }
      Thread.onSpinWait();
    }
    sleeper.set(Thread.currentThread());
    site.asleep();
    while (queue.isEmpty() && !stopping && sleeper.get() != null) {
      LockSupport.park(this);
      // This thread is never interrupted on purpose, and a set flag would turn parking into
      // spinning.
      Thread.interrupted();
    }
    sleeper.set(null);
    return !stopping || !queue.isEmpty();
  }

  /**
   * Wakes the thread if it is asleep; to be called after each addition to the queue. What the
   * caller reads afterwards is read after the addition.
   */
  public void wake() {
    VarHandle.fullFence();
    Thread asleep = sleeper.get();
    if (asleep != null && sleeper.compareAndSet(asleep, null)) {
      site.signalled();
      LockSupport.unpark(asleep);
    }
  }

  /** Has {@link #await} return false from the time at which the queue is empty. */
  public void stop() {
    stopping = true;
    LockSupport.unpark(sleeper.get());
  }

  /** Returns whether {@link #stop} was called. */
  public boolean isStopping() {
    return stopping;
  }
}
