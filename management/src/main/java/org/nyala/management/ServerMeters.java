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
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.OperationType;
import org.nyala.core.metrics.Latency;
import org.nyala.core.metrics.OperationMetrics;
import org.nyala.core.metrics.Phase;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.StoreStatus;
import org.nyala.lmdb.admin.StoreSpace;
import org.nyala.lmdb.env.StoreException;
import org.nyala.management.bean.SyncMXBean;

/**
 * The meters of a server in Prometheus: those of the {@link MeterCatalogue}, those of the JVM, and
 * the histograms.
 *
 * <p>Thread-safe. Nothing is counted here: meters read what the server counts anyway, at the time
 * of a request.
 */
public final class ServerMeters implements MeterBinder, MultiCollector {
  /** The durations of requests, by operation and result; in Prometheus. */
  public static final String REQUESTS = "ldap_server_requests_seconds";

  /** The times that operations held a thread, by operation; in Prometheus. */
  public static final String SLICES = "ldap_server_slices_seconds";

  private static final System.Logger LOG = System.getLogger(ServerMeters.class.getName());
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long VALID_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long LEAST_BOUND_NANOS = 4_000;
  private static final long GREATEST_BOUND_NANOS = 1L << 35;

  /** Four microseconds to half a minute, each twice the one before. */
  private static final List<Long> BOUNDS =
      Latency.bounds().stream()
          .filter(bound -> bound >= LEAST_BOUND_NANOS && bound <= GREATEST_BOUND_NANOS)
          .toList();

  private final Meter.Reading reading;
  private final Map<String, LongSupplier> dropped;
  private boolean hasCounted;
  private long countedNanos;

  /** The free pages at the last count; null if it failed. */
  private volatile @Nullable StoreSpace space;

  /** The status of the store at the last request; null if it could not be read. */
  private volatile @Nullable StoreStatus status;

  /**
   * Makes the meters of a server.
   *
   * @param dropped the logs by name, and what tells how many records each has dropped
   */
  public ServerMeters(ServerComponents server, Map<String, LongSupplier> dropped) {
    this.reading = new Meter.Reading(server, this::status);
    this.dropped = Map.copyOf(dropped);
  }

  /**
   * Reads the status of the store once for all meters, at the begin of a request. If it cannot be
   * read, as during a stop, the meters of the store are not a number, and the others are shown.
   */
  public void look() {
    LmdbBackend store = reading.server().store();
    status = known(store::status, "cannot read the status of the store: {0}");
    countPages(store);
  }

  /**
   * Counts the free pages at most once a minute, because that reads the list of them: some pages of
   * the file for each commit that freed any. One thread counts, and others wait for it.
   */
  private synchronized void countPages(LmdbBackend store) {
    if (!hasCounted || System.nanoTime() - countedNanos >= VALID_NANOS) {
      space = known(() -> StoreSpace.of(store), "cannot count the free pages of the store: {0}");
      countedNanos = System.nanoTime();
      hasCounted = true;
    }
  }

  private static <T> @Nullable T known(Supplier<T> asked, String problem) {
    try {
      return asked.get();
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, problem, e.toString());
      return null;
    }
  }

  private StoreStatus status() {
    StoreStatus known = status;
    if (known == null) {
      throw new StoreException("the status of the store could not be read");
    }
    return known;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    MeterCatalogue.all().forEach(meter -> bind(registry, meter));
    for (SyncMXBean.Copy copy : reading.server().copies().get()) {
      MeterCatalogue.copy(copy.suffix()).forEach(meter -> bind(registry, meter));
    }
    MeterCatalogue.extensions(reading.server()).forEach(meter -> bind(registry, meter));
    dropped.forEach((log, count) -> bind(registry, MeterCatalogue.log(log, count)));
    bindPages(
        registry,
        "free",
        "Bytes of free pages of the data file; counted once a minute.",
        StoreSpace::free);
    bindPages(
        registry,
        "held.back",
        "Bytes of free pages that open reads keep from being used again, of those.",
        StoreSpace::heldBack);
    bindProcess(registry);
  }

  private void bind(MeterRegistry registry, Meter meter) {
    Meter.Metric metric = meter.metric();
    if (metric == null) {
      return;
    }
    double divisor = Meter.divisor(metric.unit());
    // The registry does not keep what it is to ask alive; the server is there anyway.
    ToDoubleFunction<Meter.Reading> now = r -> value(meter, r) / divisor;
    if (meter.isCounter()) {
      FunctionCounter.builder(metric.name(), reading, now)
          .description(metric.description())
          .tags(metric.tags())
          .register(registry);
    } else {
      Gauge.builder(metric.name(), reading, now)
          .description(metric.description())
          .baseUnit(metric.unit())
          .tags(metric.tags())
          .register(registry);
    }
  }

  /** Returns a value; not a number if it is one of a store whose status is not known. */
  private static double value(Meter meter, Meter.Reading reading) {
    try {
      return meter.value().applyAsLong(reading);
    } catch (StoreException _) {
      return Double.NaN;
    }
  }

  private void bindPages(
      MeterRegistry registry, String name, String description, ToLongFunction<StoreSpace> pages) {
    Gauge.builder("ldap.server.store." + name, this, meters -> meters.bytes(pages))
        .description(description)
        .baseUnit("bytes")
        .register(registry);
  }

  private double bytes(ToLongFunction<StoreSpace> pages) {
    StoreSpace last = space;
    return last == null ? Double.NaN : (double) pages.applyAsLong(last) * last.pageBytes();
  }

  private static void bindProcess(MeterRegistry registry) {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
  }

  /** The histograms, which the server keeps itself, for Prometheus. */
  @Override
  public MetricSnapshots collect() {
    OperationMetrics operations = reading.metrics().operations();
    MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
    snapshots.metricSnapshot(requests(operations));
    snapshots.metricSnapshot(
        histogram(
            SLICES,
            "How long operations held a thread before they looked whether others wait, but for slow"
                + " hashes of passwords.",
            operations.slices()::times));
    for (Phase phase : Phase.values()) {
      snapshots.metricSnapshot(
          histogram(name(phase), help(phase), type -> operations.phase(type, phase)));
    }
    for (ServedFeatures.Overlay overlay : reading.server().features().get().overlays()) {
      overlay.series().forEach(each -> snapshots.metricSnapshot(gauge(overlay.name(), each)));
    }
    return snapshots.build();
  }

  private static GaugeSnapshot gauge(String extension, org.nyala.extension.Meter.Series series) {
    double divisor = Meter.divisor(series.unit());
    String name = "ldap_extension_" + extension + '_' + series.name();
    GaugeSnapshot.Builder gauge =
        GaugeSnapshot.builder()
            .name(
                name.replaceAll("[ -]", "_") + (series.unit().isEmpty() ? "" : '_' + series.unit()))
            .help(series.description());
    series
        .values()
        .get()
        .forEach(
            (value, number) ->
                gauge.dataPoint(
                    GaugeSnapshot.GaugeDataPointSnapshot.builder()
                        .labels(Labels.of(series.label(), value))
                        .value(number / divisor)
                        .build()));
    return gauge.build();
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

  /**
   * Returns the histogram of a distribution for each kind of operation; empty ones are left out.
   */
  private static HistogramSnapshot histogram(
      String name, String help, Function<OperationType, Latency> times) {
    HistogramSnapshot.Builder histogram = HistogramSnapshot.builder().name(name).help(help);
    for (OperationType type : OperationType.values()) {
      Latency latency = times.apply(type);
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

  /** The description of the histogram of a phase. */
  public static String help(Phase phase) {
    String doing = doing(phase);
    return "The time that requests spent in " + doing + ", of those that did so.";
  }

  /** The work of requests in a phase. */
  public static String doing(Phase phase) {
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
