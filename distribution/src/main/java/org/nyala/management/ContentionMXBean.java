package org.nyala.management;

import java.util.List;
import org.nyala.core.contention.Counts;

/** Where operations get into each other's way, measured for some seconds. Thread-safe. */
@Description(
    "Counters at the locks and queues of the server, which count for some seconds when asked to.")
public interface ContentionMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Contention";

  /** The longest measurement. */
  int MAXIMUM_SECONDS = 3600;

  /**
   * A measurement.
   *
   * @param number 1 for the first since the server started; 0 stands for none
   * @param running whether it goes on
   * @param strategies the dispatch strategy when it began, and the one of the end if it is another
   * @param processors the processors that the server has
   * @param operations operations that ended meanwhile
   * @param startMillis when it began, in milliseconds since 1970
   * @param counts what was counted
   */
  record Measurement(
      long number,
      boolean running,
      List<String> strategies,
      int processors,
      long operations,
      long startMillis,
      Counts counts) {
    /** Copies the list. */
    public Measurement {
      strategies = List.copyOf(strategies);
    }
  }

  /** Whether a measurement runs. */
  @Description("Whether a measurement runs.")
  boolean isMeasuring();

  /**
   * Begins a measurement, with all counters at zero. It ends by itself.
   *
   * @param seconds how long it takes, 1 to {@value #MAXIMUM_SECONDS}
   * @return its number
   * @throws IllegalStateException if one runs
   * @throws IllegalArgumentException if the seconds are out of bounds
   */
  @Description("Begins a measurement with all counters at zero; it ends by itself. Its number.")
  long start(@Description("How long it takes, 1 to 3600 seconds.") int seconds);

  /**
   * Ends a measurement, unless it has ended by itself.
   *
   * @param number what {@link #start} has returned
   * @return what it came to
   * @throws IllegalStateException if another one has begun since
   */
  @Description("Ends a measurement, unless it has ended by itself; returns what it came to.")
  Measurement stop(@Description("What start has returned.") long number);

  /** The measurement that runs as it stands, or the last one; number 0 before the first. */
  @Description(
      "The measurement that runs as it stands, or the last one; number 0 before the first.")
  Measurement read();
}
