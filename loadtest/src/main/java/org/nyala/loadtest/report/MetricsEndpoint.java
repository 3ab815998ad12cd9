package org.nyala.loadtest.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.nyala.loadtest.engine.LoadListener;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * Shows a running test to Prometheus: {@code GET /metrics} in its text format, version 0.0.4. The
 * figures are those of the intervals that have ended, so that they change once in each interval.
 *
 * <p>Confined to the thread that runs the test, but for the finished page, which the threads that
 * answer read.
 */
final class MetricsEndpoint implements LoadListener, AutoCloseable {
  private static final String PREFIX = "nyala_loadtest_";

  /** Upper bounds of the buckets in seconds: 1, 2.5 and 5 times a power of ten. */
  private static final double[] BOUNDS = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
  };

  private static final double NANOS_PER_SECOND = 1e9;

  /** The state of a test, which begins with the set-up of connections. */
  private enum Phase {
    SETUP,
    WARMUP,
    MEASURED,
    ENDED
  }

  /** The sums of a job since the endpoint was opened. Confined to the thread that runs the test. */
  private static final class Sums {
    private final Map<String, Long> errors = new TreeMap<>();
    private final long[] buckets = new long[BOUNDS.length];
    private int connections;
    private long operations;
    private long units;
    private long timed;
    private double seconds;
    private double rate;

    void add(LoadSettings part, IntervalSample sample, Histogram nanos) {
      connections = part.connections();
      operations += sample.operations();
      units += sample.units();
      rate = sample.rate();
      sample.errorsByKind().forEach((kind, number) -> errors.merge(kind, number, Long::sum));
      if (sample.isWarmup()) {
        return;
      }
      for (HistogramIterationValue value : nanos.recordedValues()) {
        long count = value.getCountAddedInThisIterationStep();
        double each = nanos.medianEquivalentValue(value.getValueIteratedTo()) / NANOS_PER_SECOND;
        timed += count;
        seconds += each * count;
        for (int i = BOUNDS.length - 1; i >= 0 && each <= BOUNDS[i]; i--) {
          buckets[i] += count;
        }
      }
    }
  }

  private final HttpServer server;
  private final ExecutorService threads;
  private final Map<String, Sums> jobs = new LinkedHashMap<>();
  private Phase phase = Phase.SETUP;
  private volatile byte[] page;

  /**
   * Opens the endpoint.
   *
   * @param address where it listens
   * @throws LoadTestException if the port is not free, or the address is not one of this machine
   */
  MetricsEndpoint(InetSocketAddress address) throws LoadTestException {
    page = page();
    try {
      server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new LoadTestException(
          "--metrics-port: a free port of this machine is expected; "
              + address.getHostString()
              + ":"
              + address.getPort()
              + " cannot be listened on: "
              + e.getMessage());
    }
    // A client that sends nothing keeps a thread, so that there must be one for each.
    threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("load-metrics-", 0).factory());
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  /** The port on which it listens, of the system's choice if 0 was asked for. */
  int port() {
    return server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      boolean isKnown = exchange.getRequestURI().getPath().equals("/metrics");
      String method = exchange.getRequestMethod();
      boolean isRead = method.equals("GET") || method.equals("HEAD");
      byte[] body =
          isKnown && isRead
              ? page
              : "The figures are at /metrics, for GET and HEAD.\n".getBytes(UTF_8);
      exchange
          .getResponseHeaders()
          .set(
              "Content-Type",
              isKnown && isRead
                  ? "text/plain; version=0.0.4; charset=utf-8"
                  : "text/plain; charset=utf-8");
      boolean isHead = method.equals("HEAD");
      exchange.sendResponseHeaders(isKnown ? isRead ? 200 : 405 : 404, isHead ? -1 : body.length);
      if (!isHead) {
        try (OutputStream out = exchange.getResponseBody()) {
          out.write(body);
        }
      }
    }
  }

  /** Notes that another test begins. */
  void begin() {
    phase = Phase.SETUP;
    page = page();
  }

  /** Notes that a test has ended. */
  void end() {
    phase = Phase.ENDED;
    page = page();
  }

  @Override
  public void interval(
      LoadSettings part, IntervalSample sample, Histogram corrected, Histogram uncorrected) {
    String key = "{job=\"" + part.job().label() + "\",server=\"" + escaped(ResultJson.url(part));
    jobs.computeIfAbsent(key, _ -> new Sums()).add(part, sample, corrected);
    phase = sample.isWarmup() ? Phase.WARMUP : Phase.MEASURED;
    page = page();
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  /** The whole page; a test of a second has as many lines as one of a day. */
  private byte[] page() {
    StringBuilder out = new StringBuilder(4096);
    head(out, "phase", "gauge", "1 for the phase that the test is in.");
    for (Phase each : Phase.values()) {
      out.append(PREFIX).append("phase{phase=\"").append(each.name().toLowerCase(Locale.ROOT));
      out.append("\"} ").append(each == phase ? 1 : 0).append('\n');
    }
    head(out, "connections", "gauge", "Connections of the job, as they are wanted.");
    jobs.forEach((job, sums) -> line(out, "connections", job, "", sums.connections));
    head(out, "operations_total", "counter", "Operations that ended rightly.");
    jobs.forEach((job, sums) -> line(out, "operations_total", job, "", (double) sums.operations));
    head(out, "units_total", "counter", "Entries of jobs that count these, else operations.");
    jobs.forEach((job, sums) -> line(out, "units_total", job, "", (double) sums.units));
    head(out, "units_per_second", "gauge", "The rate in the last interval.");
    jobs.forEach((job, sums) -> line(out, "units_per_second", job, "", sums.rate));
    head(out, "errors_total", "counter", "Errors by kind.");
    jobs.forEach(
        (job, sums) ->
            sums.errors.forEach(
                (kind, number) ->
                    line(out, "errors_total", job, ",kind=\"" + escaped(kind) + "\"", number)));
    head(
        out,
        "latency_seconds",
        "histogram",
        "Times of operations of the measured period, from the intended start.");
    jobs.forEach((job, sums) -> histogram(out, job, sums));
    return out.toString().getBytes(UTF_8);
  }

  private static void histogram(StringBuilder out, String job, Sums sums) {
    List<String> bounds = new ArrayList<>();
    for (double bound : BOUNDS) {
      bounds.add(java.math.BigDecimal.valueOf(bound).stripTrailingZeros().toPlainString());
    }
    for (int i = 0; i < BOUNDS.length; i++) {
      line(
          out,
          "latency_seconds_bucket",
          job,
          ",le=\"" + bounds.get(i) + "\"",
          (double) sums.buckets[i]);
    }
    line(out, "latency_seconds_bucket", job, ",le=\"+Inf\"", (double) sums.timed);
    line(out, "latency_seconds_sum", job, "", sums.seconds);
    line(out, "latency_seconds_count", job, "", (double) sums.timed);
  }

  private static void head(StringBuilder out, String name, String type, String help) {
    out.append("# HELP ").append(PREFIX).append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(PREFIX).append(name).append(' ').append(type).append('\n');
  }

  private static void line(
      StringBuilder out, String name, String job, String moreLabels, double value) {
    out.append(PREFIX).append(name).append(job).append('"').append(moreLabels).append("} ");
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      out.append((long) value);
    } else {
      out.append(value);
    }
    out.append('\n');
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
