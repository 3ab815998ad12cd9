package org.nyala.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The time of a simulation, which passes when the simulation says so.
 *
 * <p>Confined to one thread.
 */
final class SimulatedTime {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private long nanos = 1;

  long nanos() {
    return nanos;
  }

  void pass(Duration duration) {
    nanos += duration.toNanos();
  }

  /** Returns the clock of a server that is set apart from the others. */
  InstantSource clock(Duration ahead) {
    return () -> BEGIN.plusNanos(nanos).plus(ahead);
  }
}
