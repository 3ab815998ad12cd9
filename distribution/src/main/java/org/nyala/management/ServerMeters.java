package org.nyala.management;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.nyala.core.DirectoryServer;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.Latency;
import org.nyala.core.metrics.OperationMetrics;
import org.nyala.core.metrics.Phase;
import org.nyala.core.metrics.ServerMetrics;
import org.nyala.core.metrics.SliceMetrics;

/**
 * Every meter of a server, named here and nowhere else.
 *
 * <p>Thread-safe. Nothing is counted here: meters read what the server counts anyway, when somebody
 * asks.
 */
public final class ServerMeters implements MeterBinder, MultiCollector {
  /** How long requests took, by operation and result; in Prometheus. */
  public static final String REQUESTS = "ldap_server_requests_seconds";

  /** The times that operations held a thread, by operation; in Prometheus. */
  public static final String SLICES = "ldap_server_slices_seconds";

  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long LEAST_BOUND_NANOS = 4_000;
  private static final long GREATEST_BOUND_NANOS = 1L << 35;

  /** Four microseconds to half a minute, each twice the one before. */
  private static final List<Long> BOUNDS =
      Latency.bounds().stream()
          .filter(bound -> bound >= LEAST_BOUND_NANOS && bound <= GREATEST_BOUND_NANOS)
          .toList();

  private final DirectoryServer server;
  private final Map<String, LongSupplier> dropped;

  /**
   * Makes the meters of a server.
   *
   * @param dropped the logs by name, and what tells how many records each has dropped
   */
  public ServerMeters(DirectoryServer server, Map<String, LongSupplier> dropped) {
    this.server = server;
    this.dropped = Map.copyOf(dropped);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    bindConnections(registry);
    bindMemory(registry);
    bindOperations(registry);
    bindSlices(registry);
    bindDispatch(registry);
    bindLogs(registry);
    bindProcess(registry);
  }

  private void bindConnections(MeterRegistry registry) {
    ServerMetrics metrics = server.metrics();
    gauge(
        registry,
        "ldap.server.connections",
        "Connections that are open.",
        m -> m.connectionsOpened().sum() - m.connectionsClosed().sum());
    counter(
        registry,
        "ldap.server.connections.opened",
        "Connections accepted.",
        metrics.connectionsOpened()::sum);
    counter(
        registry,
        "ldap.server.connections.refused",
        "Connections not accepted, or ended at once, because there was no room for them.",
        metrics.connectionsRefused()::sum);
    counter(
        registry,
        "ldap.server.connections.stalled",
        "Connections closed because their clients had left answers unread for too long.",
        metrics.connectionsStalled()::sum);
    counter(registry, "ldap.server.bytes.received", "Bytes read.", metrics.bytesReceived()::sum);
    counter(registry, "ldap.server.bytes.sent", "Bytes written.", metrics.bytesSent()::sum);
    counter(
        registry,
        "ldap.server.polls",
        "How often event loops have asked the kernel what is ready.",
        metrics.polls()::sum);
  }

  private void bindMemory(MeterRegistry registry) {
    MemoryBudget memory = server.memory();
    Gauge.builder("ldap.server.memory.held", memory, MemoryBudget::held)
        .description("Bytes held for clients: requests, messages in part, unread answers.")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder("ldap.server.memory.bound", memory, m -> m.bounds().wholeBytes())
        .description("Bytes that may be held for clients.")
        .baseUnit("bytes")
        .register(registry);
    counter(
        registry,
        "ldap.server.memory.refused",
        "Requests that had to wait or were refused for want of memory.",
        memory.refused()::sum);
    counter(
        registry,
        "ldap.server.memory.disconnected",
        "Connections ended because they held memory that others needed.",
        memory.disconnected()::sum);
  }

  private void bindOperations(MeterRegistry registry) {
    ServerMetrics metrics = server.metrics();
    for (OperationType type : OperationType.values()) {
      FunctionCounter.builder(
              "ldap.server.operations.started",
              metrics.operations(),
              operations -> operations.startedCount(type))
          .description("Requests that were carried out or are.")
          .tag("operation", type.label())
          .register(registry);
    }
    gauge(
        registry,
        "ldap.server.operations.active",
        "Operations that have begun and not ended.",
        m -> m.operationsStarted().sum() - m.operationsCompleted().sum());
    counter(
        registry,
        "ldap.server.operations.refused",
        "Operations answered busy because they had waited for too long.",
        metrics.operationsRefused()::sum);
    counter(
        registry,
        "ldap.server.requests.malformed",
        "Requests that could not be decoded.",
        metrics.malformedRequests()::sum);
    counter(
        registry,
        "ldap.server.errors",
        "Operations and connections that failed for a reason that is the server's.",
        metrics.internalErrors()::sum);
    counter(registry, "ldap.server.entries.sent", "Entries sent.", metrics.entriesSent()::sum);
    counter(
        registry,
        "ldap.server.references.sent",
        "Search result references sent.",
        metrics.referralsSent()::sum);
    counter(
        registry,
        "ldap.server.responses.sent",
        "Messages sent: entries, references, results.",
        metrics.responsesSent()::sum);
  }

  private void bindSlices(MeterRegistry registry) {
    for (OperationType type : OperationType.values()) {
      if (!type.isUnanswered()) {
        Gauge.builder(
                "ldap.server.slices.longest",
                server.metrics().operations().slices(),
                slices -> slices.longestNanos(type) / NANOS_PER_SECOND)
            .description(
                "The longest time for which an operation held a thread, since the start or the last reset over JMX.")
            .baseUnit("seconds")
            .tag("operation", type.label())
            .register(registry);
      }
    }
  }

  private void bindDispatch(MeterRegistry registry) {
    Gauge.builder("ldap.server.dispatch.active", server, s -> s.strategy().inFlight())
        .description("Operations that hold a permit or a place in a queue.")
        .register(registry);
    for (String name : DispatchStrategies.OFFERED) {
      Gauge.builder(
              "ldap.server.dispatch.strategy",
              server,
              s -> s.strategy().name().equals(name) ? 1 : 0)
          .description("1 for the dispatch strategy of the moment.")
          .tag("strategy", name)
          .register(registry);
    }
  }

  private void bindLogs(MeterRegistry registry) {
    dropped.forEach(
        (log, count) ->
            FunctionCounter.builder("ldap.server.log.dropped", server, _ -> count.getAsLong())
                .description("Records that a log could not take or write.")
                .tag("log", log)
                .register(registry));
  }

  private static void bindProcess(MeterRegistry registry) {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
  }

  private void gauge(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<ServerMetrics> now) {
    Gauge.builder(name, server.metrics(), now).description(description).register(registry);
  }

  private void counter(MeterRegistry registry, String name, String description, LongSupplier now) {
    // The registry does not keep what it is to ask alive; the server is there anyway.
    FunctionCounter.builder(name, server, _ -> now.getAsLong())
        .description(description)
        .register(registry);
  }

  /** The histograms, which the server keeps itself, for Prometheus. */
  @Override
  public MetricSnapshots collect() {
    OperationMetrics operations = server.metrics().operations();
    MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
    snapshots.metricSnapshot(requests(operations));
    snapshots.metricSnapshot(slices(operations.slices()));
    for (Phase phase : Phase.values()) {
      snapshots.metricSnapshot(phase(operations, phase));
    }
    return snapshots.build();
  }

  private static HistogramSnapshot requests(OperationMetrics operations) {
    HistogramSnapshot.Builder histogram =
        HistogramSnapshot.builder()
            .name(REQUESTS)
            .help("How long requests took, from the first look at them to the end of the answer.");
    for (OperationType type : OperationType.values()) {
      operations
          .requests(type)
          .forEach(
              (result, latency) ->
                  histogram.dataPoint(
                      point(latency, Labels.of("operation", type.label(), "result", result))));
    }
    return histogram.build();
  }

  private static HistogramSnapshot slices(SliceMetrics slices) {
    HistogramSnapshot.Builder histogram =
        HistogramSnapshot.builder()
            .name(SLICES)
            .help(
                "How long operations held a thread before they looked whether others wait, but for slow hashes of passwords.");
    for (OperationType type : OperationType.values()) {
      Latency latency = slices.times(type);
      if (latency.count() > 0) {
        histogram.dataPoint(point(latency, Labels.of("operation", type.label())));
      }
    }
    return histogram.build();
  }

  private static HistogramSnapshot phase(OperationMetrics operations, Phase phase) {
    HistogramSnapshot.Builder histogram =
        HistogramSnapshot.builder().name(name(phase)).help(help(phase));
    for (OperationType type : OperationType.values()) {
      Latency latency = operations.phase(type, phase);
      if (latency.count() > 0) {
        histogram.dataPoint(point(latency, Labels.of("operation", type.label())));
      }
    }
    return histogram.build();
  }

  /** The name of the histogram of a phase; in Prometheus. */
  public static String name(Phase phase) {
    return "ldap_server_requests_" + phase.label() + "_seconds";
  }

  /** What the histogram of a phase is. */
  public static String help(Phase phase) {
    String doing = doing(phase);
    return "What of the time of requests went into " + doing + ", of those that did so.";
  }

  private static String doing(Phase phase) {
    return switch (phase) {
      case DECODE -> "decoding the request";
      case ADMISSION -> "waiting for a permit";
      case QUEUE -> "waiting for a thread";
      case EXECUTE -> "running";
      case HASH -> "hashing a password";
      case COMMIT -> "waiting for the writer, until the change was on disk";
      case WRITE -> "waiting for the client, and the way from a worker to the connection";
    };
  }

  private static HistogramDataPointSnapshot point(Latency latency, Labels labels) {
    List<Double> bounds = new ArrayList<>();
    List<Long> counts = new ArrayList<>();
    long below = 0;
    for (long bound : BOUNDS) {
      long upTo = latency.countUpTo(bound);
      bounds.add(bound / NANOS_PER_SECOND);
      counts.add(upTo - below);
      below = upTo;
    }
    bounds.add(Double.POSITIVE_INFINITY);
    counts.add(latency.count() - below);
    return HistogramDataPointSnapshot.builder()
        .labels(labels)
        .classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, counts))
        .sum(latency.sumNanos() / NANOS_PER_SECOND)
        .build();
  }
}
