package org.nyala.loadtest.engine;

import org.HdrHistogram.Histogram;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.workload.LoadSettings;

/** A listener to a test while it runs, called on the thread that runs the test. */
@FunctionalInterface
public interface LoadListener {
  /** A listener that does nothing. */
  LoadListener NONE = (_, _, _, _) -> {};

  /**
   * Notifies that an interval ended. Jobs that run at the same time are reported one after the
   * other, in their order.
   *
   * @param part the job
   * @param sample its results; those that are not of the warm-up add up to the report
   * @param corrected its times from the intended start, in nanoseconds; borrowed for the call
   * @param uncorrected its times from the actual send; borrowed, and the same object in a closed
   *     loop, where nothing is sent later than intended
   */
  void interval(
      LoadSettings part, IntervalSample sample, Histogram corrected, Histogram uncorrected);

  /**
   * Notifies that all clients are connected, and that they begin when this returns.
   *
   * @throws InterruptedException if the test is not to begin
   */
  default void ready() throws InterruptedException {}
}
