package org.nyala.management;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.management.HttpAnswer.Status;

/**
 * The HTTP port for whoever looks after the server: {@code /metrics} for Prometheus, {@code /live}
 * and {@code /ready} for whoever starts, restarts and balances servers.
 *
 * <p>Thread-safe. It has threads of its own, so that it answers while everything else is busy.
 */
public final class ManagementHttp implements AutoCloseable {
  /** Scrapes at once; each takes a processor for some milliseconds. */
  private static final int SCRAPES = 2;

  private static final String OPEN_METRICS = "application/openmetrics-text";

  /** What is known once the server has been put together. */
  private record Served(PrometheusMeterRegistry registry, BooleanSupplier live) {}

  private final HttpPort port;
  private final Semaphore scrapes = new Semaphore(SCRAPES);
  private volatile @Nullable Served served;
  private volatile boolean ready;

  private ManagementHttp(InetSocketAddress address) throws IOException {
    this.port = HttpPort.open(address, this::answer);
  }

  /**
   * Takes the port; answers from now on, at first that nothing is ready.
   *
   * @throws IOException when the address cannot be listened on
   */
  public static ManagementHttp start(InetSocketAddress address) throws IOException {
    try {
      return new ManagementHttp(address);
    } catch (IOException e) {
      throw new IOException(
          "cannot listen on "
              + address.getHostString()
              + ":"
              + address.getPort()
              + " for HTTP: "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Shows a server.
   *
   * @param meters its meters
   * @param live whether it does anything at all
   */
  public void serve(ServerMeters meters, BooleanSupplier live) {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    meters.bindTo(registry);
    registry.getPrometheusRegistry().register(meters);
    served = new Served(registry, live);
  }

  /** Says whether clients should come: false at first, and again when the server is to stop. */
  public void ready(boolean nowReady) {
    ready = nowReady;
  }

  /** Where it listens, with the port that it got. */
  public InetSocketAddress address() {
    return port.address();
  }

  private HttpAnswer answer(HttpRequest request) throws InterruptedException {
    if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
      return HttpAnswer.text(Status.METHOD_NOT_ALLOWED, "only GET and HEAD\n");
    }
    Served now = served;
    return switch (request.path()) {
      case "/live" -> health(now == null || now.live().getAsBoolean(), "live");
      case "/ready" -> health(ready && now != null && now.live().getAsBoolean(), "ready");
      case "/metrics" -> metrics(request, now);
      default -> HttpAnswer.text(Status.NOT_FOUND, "there are /metrics, /live and /ready\n");
    };
  }

  private static HttpAnswer health(boolean is, String what) {
    return HttpAnswer.text(is ? Status.OK : Status.UNAVAILABLE, (is ? what : "not " + what) + "\n");
  }

  private HttpAnswer metrics(HttpRequest request, @Nullable Served now)
      throws InterruptedException {
    if (now == null) {
      return HttpAnswer.text(Status.UNAVAILABLE, "the server is starting\n");
    }
    String type =
        request.header("accept").contains(OPEN_METRICS)
            ? OPEN_METRICS + "; version=1.0.0; charset=utf-8"
            : "text/plain; version=0.0.4; charset=utf-8";
    scrapes.acquire();
    try {
      return new HttpAnswer(Status.OK, type, now.registry().scrape(type));
    } finally {
      scrapes.release();
    }
  }

  /** Answers no more. Idempotent. */
  @Override
  public void close() {
    port.close();
    Served last = served;
    if (last != null) {
      last.registry().close();
    }
  }
}
