package org.nyala.loadtest.jmh;

import org.HdrHistogram.Histogram;

/** Connections of which each sends its next request once it has the answer. Thread-safe. */
public interface ClosedLoad {
  /** How many requests were answered since the load began; never decreases. */
  long completed();

  /**
   * How long requests took, from sending to answer, in nanoseconds: those that were answered since
   * this was last called. The caller owns the histogram.
   */
  Histogram takeLatencies();
}
