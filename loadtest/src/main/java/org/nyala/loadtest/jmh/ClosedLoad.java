package org.nyala.loadtest.jmh;

import org.HdrHistogram.Histogram;

/**
 * A load of connections each of which sends its next request once it has the answer. Thread-safe.
 */
public interface ClosedLoad {
  /** The number of requests answered since the load began; never decreases. */
  long completed();

  /**
   * Returns the latencies of requests, from sending to answer, in nanoseconds: those of the
   * requests answered since the last call. The caller owns the histogram.
   */
  Histogram takeLatencies();
}
