package org.nyala.core.metrics;

import java.util.function.LongSupplier;

/**
 * Where the time of one operation goes: at each moment it is in one {@link Phase}.
 *
 * <p>Confined to one running operation. Hot: an operation that runs to its end where it was decoded
 * costs one look at the clock here.
 */
public abstract class OperationTimes {
  private final LongSupplier nanoClock;
  private final long arrivalNanos;
  private long sinceNanos;
  private Phase phase = Phase.QUEUE;
  private boolean isFresh = true;
  long decodeNanos;
  long admissionNanos;
  long queueNanos;
  long executeNanos;
  long hashNanos;
  long commitNanos;
  long writeNanos;

  /**
   * Begins with a request that has just been decoded.
   *
   * @param nanoClock tells the time, in nanoseconds
   * @param arrivalNanos the time of this moment
   * @param decodeNanos how long it took to decode it; 0 where it had to wait since
   */
  protected OperationTimes(LongSupplier nanoClock, long arrivalNanos, long decodeNanos) {
    this.nanoClock = nanoClock;
    this.arrivalNanos = arrivalNanos;
    this.sinceNanos = arrivalNanos;
    this.decodeNanos = decodeNanos;
  }

  /** When the request was decoded, on the server's nanosecond clock. */
  public final long arrivalNanos() {
    return arrivalNanos;
  }

  /** From the beginning of decoding to the last change of phase; the whole time at the end. */
  public final long totalNanos() {
    return decodeNanos + sinceNanos - arrivalNanos;
  }

  /** The time spent in a phase that is over. */
  public final long nanos(Phase asked) {
    return switch (asked) {
      case DECODE -> decodeNanos;
      case ADMISSION -> admissionNanos;
      case QUEUE -> queueNanos;
      case EXECUTE -> executeNanos;
      case HASH -> hashNanos;
      case COMMIT -> commitNanos;
      case WRITE -> writeNanos;
    };
  }

  /** The permit that it waited for is there. */
  protected final void permitted() {
    phase = Phase.ADMISSION;
    enter(Phase.QUEUE);
  }

  /**
   * A slice begins.
   *
   * @param onLoop whether on the event loop: what begins there has waited for nothing
   * @return when it began, without a look at the clock of its own
   */
  protected final long sliceBegins(Phase next, boolean onLoop) {
    if (isFresh && onLoop && phase == Phase.QUEUE) {
      phase = next;
    } else {
      enter(next);
    }
    isFresh = false;
    return sinceNanos;
  }

  /**
   * Whatever was going on until now is over.
   *
   * @return the time of this moment
   */
  protected final long enter(Phase next) {
    long now = nanoClock.getAsLong();
    add(now - sinceNanos);
    sinceNanos = now;
    phase = next;
    isFresh = false;
    return now;
  }

  private void add(long nanos) {
    switch (phase) {
      case DECODE -> decodeNanos += nanos;
      case ADMISSION -> admissionNanos += nanos;
      case QUEUE -> queueNanos += nanos;
      case EXECUTE -> executeNanos += nanos;
      case HASH -> hashNanos += nanos;
      case COMMIT -> commitNanos += nanos;
      case WRITE -> writeNanos += nanos;
    }
  }
}
