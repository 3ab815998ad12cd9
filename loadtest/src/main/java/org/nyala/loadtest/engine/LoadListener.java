package org.nyala.loadtest.engine;

import org.HdrHistogram.Histogram;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.workload.LoadSettings;

/** Hears of a test while it runs, on the thread that runs the test. */
@FunctionalInterface
public interface LoadListener {
  /** Hears nothing. */
  LoadListener NONE = (_, _, _, _) -> {};

  /**
   * An interval ended. Jobs that run at the same time are told of one after the other, in their
   * order.
   *
   * @param part the job
   * @param sample what it did; those that are not of the warm-up add up to the report
   * @param corrected its times from the intended start, in nanoseconds; borrowed for the call
   * @param uncorrected its times from the actual send; borrowed, and the same object in a closed
   *     loop, where nothing is sent later than intended
   */
  void interval(
      LoadSettings part, IntervalSample sample, Histogram corrected, Histogram uncorrected);
}
