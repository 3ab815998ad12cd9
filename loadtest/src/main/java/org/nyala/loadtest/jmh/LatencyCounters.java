package org.nyala.loadtest.jmh;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;

/**
 * Percentiles of the latencies of a closed load, beside a benchmark's throughput: means over the
 * iterations, in microseconds. Confined to the benchmark's thread.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class LatencyCounters {
  /*
   * JMH adds such counters up over iterations and forks. So that the sum is the mean, each iteration contributes its share of it.
   */
  private static final double NANOS_PER_MICRO = 1e3;

  private double share = 1;
  private Histogram latencies = new Histogram(1);
  private @Nullable ClosedLoad load;

  /** Sets the share of one iteration, from their number. */
  @Setup(Level.Iteration)
  public void begin(IterationParams iterations, BenchmarkParams benchmark) {
    share = 1.0 / (iterations.getCount() * Math.max(1, benchmark.getForks()));
  }

  /** Names the load of this iteration. */
  public void of(ClosedLoad measured) {
    load = measured;
  }

  /** Takes the latencies of the iteration. */
  @TearDown(Level.Iteration)
  public void end() {
    if (load != null) {
      latencies = load.takeLatencies();
      load = null;
    }
  }

  public double p50Micros() {
    return percentile(50);
  }

  /** The time that one of 100 operations exceeds. */
  public double p99Micros() {
    return percentile(99);
  }

  /** The time that one of 1,000 operations exceeds. */
  public double p999Micros() {
    return percentile(99.9);
  }

  /** The longest. */
  public double maxMicros() {
    return percentile(100);
  }

  private double percentile(double percent) {
    return latencies.getTotalCount() == 0
        ? 0
        : share * latencies.getValueAtPercentile(percent) / NANOS_PER_MICRO;
  }
}
