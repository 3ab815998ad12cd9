package org.nyala.core.metrics;

import java.util.function.LongSupplier;

/**
 * The time of one operation by phase: at each moment it is in one {@link Phase}.
 *
 * <p>Confined to one running operation. Hot: an operation that runs to its end on the loop that
 * decoded it costs one reading of the clock here.
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
   * @param nanoClock the clock, in nanoseconds
   * @param arrivalNanos the present time
   * @param decodeNanos the time taken to decode it; 0 if it has waited since
   */
  protected OperationTimes(LongSupplier nanoClock, long arrivalNanos, long decodeNanos) {
    this.nanoClock = nanoClock;
    this.arrivalNanos = arrivalNanos;
    this.sinceNanos = arrivalNanos;
    this.decodeNanos = decodeNanos;
  }

  /** Returns the time at which the request was decoded, on the server's nanosecond clock. */
  public final long arrivalNanos() {
    return arrivalNanos;
  }

  /**
   * Returns the time from the beginning of decoding to the last change of phase; the whole time at
   * the end.
   */
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
   * Records the beginning of a slice.
   *
   * @param onLoop true if on the event loop: an operation that begins there has not waited
   * @return the time at which it began, usually without another reading of the clock
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

  /** Returns the time at which the present phase began. */
  protected final long sinceNanos() {
    return sinceNanos;
  }

  /**
   * Ends the current phase and enters the next.
   *
   * @return the present time
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
