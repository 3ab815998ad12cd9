package org.nyala.core.update;

/**
 * The processor time of a thread.
 *
 * <p>Immutable.
 *
 * @param ranNanos the time that it has run since its start, in nanoseconds
 * @param waitedNanos the time that it was ready to run while others had the processors, in
 *     nanoseconds
 */
public record ProcessorUse(long ranNanos, long waitedNanos) {
  /** Reads the use of one thread: the one that made it. */
  @FunctionalInterface
  public interface Meter {
    /** The use up to now; throws nothing. */
    ProcessorUse read();
  }

  ProcessorUse since(ProcessorUse earlier) {
    return new ProcessorUse(ranNanos - earlier.ranNanos, waitedNanos - earlier.waitedNanos);
  }
}
