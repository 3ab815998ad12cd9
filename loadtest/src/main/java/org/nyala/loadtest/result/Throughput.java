package org.nyala.loadtest.result;

import java.util.List;
import org.nyala.loadtest.workload.LoadSettings;

/**
 * The time and the counts from which rates are computed. Immutable.
 *
 * <p>In a closed loop, and at a fixed rate, only operations that ended within the period count:
 * waiting for the last answers, or for some that never come, neither adds to a rate nor takes from
 * it. All of a log counts, up to its last right answer.
 *
 * @param seconds the time
 * @param operations operations that ended rightly in it
 * @param units entries of jobs that count these, else the operations
 */
public record Throughput(double seconds, long operations, long units) {
  /**
   * The throughput of a test.
   *
   * @param seconds the part of the period in which operations began, without the waiting for
   *     answers behind it
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

  /** The sum with another job at the same time. */
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
