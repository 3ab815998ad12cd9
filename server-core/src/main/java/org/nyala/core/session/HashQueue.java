package org.nyala.core.session;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/**
 * The operations that wait for a slow password hash, and the time for which a further one would
 * wait: owners take turns, so that it has before it what its own owner has, and as many of each
 * other. The time of a hash is that of the latest ones.
 *
 * <p>Thread-safe.
 */
public final class HashQueue {
  /** The part that the latest hash has in the time of a hash: a few of another kind change it. */
  private static final int LATEST_PART = 4;

  private final OwnedSlots slots;
  private final Supplier<ServerLimits> limitsNow;
  private final LongSupplier nanoClock;
  private final AtomicLong hashNanos = new AtomicLong();
  private final AtomicInteger atWork = new AtomicInteger();

  /**
   * Creates an empty queue.
   *
   * @param limitsNow the present limits, which bound its length and the wait
   * @param nanoClock the clock, in nanoseconds
   */
  public HashQueue(Supplier<ServerLimits> limitsNow, LongSupplier nanoClock) {
    this.limitsNow = limitsNow;
    this.nanoClock = nanoClock;
    this.slots =
        new OwnedSlots(OwnedSlots.Kind.HASHES, () -> limitsNow.get().sessions().hashQueue());
  }

  OwnedSlots slots() {
    return slots;
  }

  long nanoTime() {
    return nanoClock.getAsLong();
  }

  /** Takes note of a thread that begins a hash. */
  void begun() {
    atWork.incrementAndGet();
  }

  /** Takes note of a thread that has ended what it began at a time. */
  void ended(long beganNanos) {
    atWork.decrementAndGet();
    long took = nanoTime() - beganNanos;
    hashNanos.updateAndGet(known -> known == 0 ? took : known + (took - known) / LATEST_PART);
  }

  /** Returns the time for which a further operation of an owner would wait; 0 if it is unknown. */
  long waitNanos(Object owner) {
    return slots.turnsBefore(owner) * hashNanos.get() / Math.max(1, atWork.get());
  }

  /**
   * Returns whether a further operation of an owner would have its turn in time: a wait that ends
   * with a refusal is spared the client, and the refusals are spared the queue.
   */
  boolean isInTime(Object owner) {
    int seconds = limitsNow.get().sessions().hashQueueSeconds();
    return seconds == 0 || waitNanos(owner) <= TimeUnit.SECONDS.toNanos(seconds);
  }

  /** Returns whether an operation has waited for too long since a time. */
  boolean isLate(long sinceNanos) {
    int seconds = limitsNow.get().sessions().hashQueueSeconds();
    return seconds > 0 && nanoTime() - sinceNanos > TimeUnit.SECONDS.toNanos(seconds);
  }

  /**
   * Returns the refusal of an operation that may not wait, with the time after which those that
   * wait now are done.
   */
  LdapResult busy(Object owner) {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(waitNanos(owner)) + 1;
    return LdapResult.of(
        ResultCode.BUSY, "too many passwords wait to be checked: try again in " + seconds + " s");
  }
}
