package org.nyala.loadtest.jmh;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.ServerUrl;
import org.nyala.loadtest.workload.TestDuration;
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
 * The throughput and latency of each strategy over sockets. Sockets of the loopback, decoder, store
 * and encoder are those of the server; the clients are those of the load tester, in the same
 * process, so that they share processors and heap with the server. Confined to the benchmark's
 * thread.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class EndToEndBenchmark {
  private static final int OPERATIONS = 200;

  /** The strategy; only for a server of this process. */
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

  /** The job of the clients: search, bind, authenticate or connect. */
  @Param("search")
  public String job = "search";

  /** The number of clients that send at once. */
  @Param("128")
  public int connections = 128;

  /** Threads beside the event loops; 0 is one per processor. */
  @Param("0")
  public int workers;

  /** Event loops; 0 is the default of a server, two for each processor. */
  @Param("0")
  public int loops;

  /** The number of people in the directory. */
  @Param("2000")
  public int users = 2000;

  /** Another server with the people of {@code nyala sample}; empty for one of this process. */
  @Param("")
  public String url = "";

  private final LoadMeter meter = new LoadMeter();
  private @Nullable BenchmarkServer server;
  private @Nullable BackgroundLoad load;

  /** Starts server and clients. */
  @Setup(Level.Trial)
  public void start()
      throws IOException, InvalidDnException, LoadTestException, InterruptedException {
    InetSocketAddress address;
    if (url.isEmpty()) {
      BenchmarkServer started =
          BenchmarkServer.start(StrategyChoice.create(strategy, workers), users, loops);
      server = started;
      address = started.address();
    } else {
      address = ServerUrl.address(url);
    }
    load = BackgroundLoad.start(settings(address));
  }

  private LoadSettings settings(InetSocketAddress address) {
    return new LoadSettings(
        JobKind.of(job),
        address,
        connections,
        1,
        TestDuration.of(1, 0),
        People.of(users),
        Account.ANONYMOUS,
        0,
        JobOptions.DEFAULT);
  }

  /** Starts to count. */
  @Setup(Level.Iteration)
  public void begin() {
    meter.begin(load());
  }

  /** Ends clients and server; fails if answers were wrong or did not come. */
  @TearDown(Level.Trial)
  public void stop() throws IOException, LoadTestException, InterruptedException {
    try {
      load().end();
    } finally {
      if (server != null) {
        server.stop();
      }
    }
  }

  private BackgroundLoad load() {
    return Objects.requireNonNull(load);
  }

  /** Operations of all connections. */
  @Benchmark
  @OperationsPerInvocation(OPERATIONS)
  public void operations(LatencyCounters latencies) {
    BackgroundLoad measured = load();
    latencies.of(measured);
    meter.await(measured, OPERATIONS);
  }
}
