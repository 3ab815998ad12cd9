package org.nyala.loadtest.result;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.nyala.loadtest.workload.LoadSettings;

/** Reports of closed loops of which CPU time is known, but no intervals. */
public final class ClosedLoopReport {
  private ClosedLoopReport() {}

  /** A report of operations without entries, all of which began in time. */
  public static LoadReport of(
      LoadSettings settings,
      double seconds,
      long operations,
      Map<String, Long> errors,
      Histogram latency,
      long cpuNanos) {
    return new LoadReport(
        settings,
        seconds,
        operations,
        operations,
        new Throughput(seconds, operations, operations),
        operations,
        errors,
        0,
        latency,
        latency,
        operations,
        new Resources(ofCpu(cpuNanos), ofCpu(cpuNanos), GcPauses.NONE),
        List.of(),
        List.of(),
        "",
        Map.of(),
        List.of());
  }

  private static ResourceUse ofCpu(long nanos) {
    return new ResourceUse(nanos, ResourceUse.UNKNOWN, ResourceUse.UNKNOWN, ResourceUse.UNKNOWN);
  }
}
