package org.nyala.management.bean;

import java.util.List;
import org.nyala.core.contention.Counts;

/** Measures for some seconds where operations delay each other. Thread-safe. */
@Description("Counters at the server's locks and queues, which count for some seconds on request.")
public interface ContentionMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Contention";

  /** The longest measurement. */
  int MAXIMUM_SECONDS = 3600;

  /**
   * A measurement.
   *
   * @param number 1 for the first since the server started; 0 stands for none
   * @param running whether it is running
   * @param strategies the dispatch strategy at its beginning, and the one at its end if different
   * @param processors the number of the server's processors
   * @param operations operations that ended during it
   * @param startMillis when it began, in milliseconds since 1970
   * @param counts the counters
   */
  record Measurement(
      long number,
      boolean running,
      List<String> strategies,
      int processors,
      long operations,
      long startMillis,
      Counts counts) {
    public Measurement {
      strategies = List.copyOf(strategies);
    }
  }

  /** True while a measurement runs. */
  @Description("Whether a measurement is running.")
  boolean isMeasuring();

  /**
   * Begins a measurement, with all counters at zero. It ends by itself.
   *
   * @param seconds its duration, 1 to {@value #MAXIMUM_SECONDS}
   * @return its number
   * @throws IllegalStateException if another one is running
   * @throws IllegalArgumentException if the seconds are out of bounds
   */
  @Description(
      "Begins a measurement with all counters at zero, which ends by itself; returns its "
          + "number.")
  long start(@Description("Its duration, 1 to 3600 seconds.") int seconds);

  /**
   * Ends a measurement, unless it has ended by itself.
   *
   * @param number the result of {@link #start}
   * @return the measurement
   * @throws IllegalStateException if another one has begun since
   */
  @Description("Ends a measurement, unless it has ended by itself; returns its result.")
  Measurement stop(@Description("The number that start has returned.") long number);

  /** Returns the running measurement so far, or the last one; number 0 before the first. */
  @Description("The running measurement so far, or the last one; number 0 before the first.")
  Measurement read();
}
