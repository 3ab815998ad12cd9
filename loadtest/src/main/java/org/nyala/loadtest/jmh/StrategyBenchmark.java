package org.nyala.loadtest.jmh;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The throughput and latency of each strategy, by cost of operations and number of connections.
 * Event loops and strategies are those of the server, the operations are synthetic, and there are
 * no sockets. Each connection sends its next request once the last one is answered. Confined to the
 * benchmark's thread.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class StrategyBenchmark {
  private static final int OPERATIONS = 200;

  @Param({
    "adaptive",
    "run-to-completion",
    "striped",
    "virtual-threads",
    "multi-queue",
    "single-queue",
    "load-conditioned",
    "lightweight",
    "lightweight-conditioned"
  })
  public String strategy = "adaptive";

  /** The cost of an operation, see {@link SyntheticCost}. */
  @Param({"1us", "10us", "100us", "1ms", "mixed", "delayed", "half-cold", "cold", "hash"})
  public String cost = "1us";

  /** The number of clients that send at once. */
  @Param("128")
  public int connections = 128;

  /** Threads beside the event loops; 0 is one per processor. */
  @Param("0")
  public int workers;

  /** Event loops; 0 is one per processor (a server with many connections has two). */
  @Param("0")
  public int loops;

  private final LoadMeter meter = new LoadMeter();
  private @Nullable SyntheticLoad load;

  @Setup(Level.Trial)
  public void start() {
    int eventLoops = loops > 0 ? loops : Runtime.getRuntime().availableProcessors();
    SyntheticWork work = SyntheticWork.calibrated();
    load =
        SyntheticLoad.start(
            StrategyChoice.create(strategy, workers),
            work,
            SyntheticCost.of(cost),
            connections,
            eventLoops);
  }

  /** Starts to count. */
  @Setup(Level.Iteration)
  public void begin() {
    meter.begin(load());
  }

  /** Ends the load; fails if an operation was lost. */
  @TearDown(Level.Trial)
  public void stop() throws InterruptedException {
    load().end();
  }

  private SyntheticLoad load() {
    return Objects.requireNonNull(load);
  }

  /** Operations of all connections. */
  @Benchmark
  @OperationsPerInvocation(OPERATIONS)
  public void operations(LatencyCounters latencies) {
    SyntheticLoad measured = load();
    latencies.of(measured);
    meter.await(measured, OPERATIONS);
  }
}
