package org.nyala.core.update;

/**
 * What a thread has had of the processors.
 *
 * <p>Immutable.
 *
 * @param ranNanos how long it has run since its start, in nanoseconds
 * @param waitedNanos how long it has been ready to run while others had the processors, in
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
