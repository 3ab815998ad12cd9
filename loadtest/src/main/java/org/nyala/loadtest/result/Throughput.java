package org.nyala.loadtest.result;

import java.util.List;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * What rates are made of. Immutable.
 *
 * <p>In a closed loop, and at a fixed rate, it is what ended within the period: waiting for the
 * last answers, or for some that never come, neither adds to a rate nor takes from it. All of a log
 * counts, up to its last right answer.
 *
 * @param seconds the time
 * @param operations operations that ended rightly in it
 * @param units entries of jobs that count these, else the operations
 */
public record Throughput(double seconds, long operations, long units) {
  /**
   * Of a test.
   *
   * @param seconds what of the period was worked in, without the waiting for answers behind it
   */
  static Throughput of(LoadSettings settings, double seconds, List<LoopStatistics> loops) {
    boolean isReplay = settings.options().replay() != null;
    long operations = 0;
    long entries = 0;
    for (LoopStatistics loop : loops) {
      operations += isReplay ? loop.measured() : loop.measuredInTime();
      entries += loop.measuredUnits();
    }
    return new Throughput(
        seconds, operations, settings.job().countsEntries() ? entries : operations);
  }

  /** Together with another job at the same time. */
  Throughput and(Throughput other) {
    return new Throughput(seconds, operations + other.operations, units + other.units);
  }

  /** Operations per second. */
  public double operationRate() {
    return operations / seconds;
  }

  /** Operations, or entries, per second. */
  double rate() {
    return units / seconds;
  }
}
