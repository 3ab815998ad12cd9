package org.nyala.management.meter;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP port for monitoring: {@code /metrics} for Prometheus, {@code /live} and {@code /ready}
 * for systems that start, restart and balance servers.
 *
 * <p>Thread-safe. It has threads of its own, so that it answers while everything else is busy.
 */
public final class ManagementHttp implements AutoCloseable {
  /**
   * The maximum number of connections, each with a thread while it sends a request or is answered:
   * a slow sender occupies one thread until the deadline, and delays no other client. Idle threads
   * end.
   */
  private static final int CONNECTIONS = 256;

  private static final long IDLE_THREAD_SECONDS = 10;
  private static final long STACK_BYTES = 256 << 10;

  /** Concurrent scrapes; each takes a processor for some milliseconds. */
  private static final int SCRAPES = 2;

  /**
   * The settings of the JDK's server, as system properties that it reads when it is first used:
   * requests that are incomplete after some seconds, and idle connections, are closed. To be set
   * before {@link #start}, unless they are set already.
   */
  public static final Map<String, String> PROPERTIES =
      Map.of(
          "sun.net.httpserver.maxReqTime", "5",
          "sun.net.httpserver.maxRspTime", "30",
          "sun.net.httpserver.timerMillis", "500",
          "sun.net.httpserver.idleTimerScheduleMillis", "500",
          "sun.net.httpserver.idleInterval", "10",
          "jdk.httpserver.maxConnections", Integer.toString(CONNECTIONS));

  private static final int BACKLOG = 16;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int UNAVAILABLE = 503;
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String OPEN_METRICS = "application/openmetrics-text";

  /** The parts that exist once the server has been composed. */
  private record Served(PrometheusMeterRegistry registry, BooleanSupplier live) {}

  private final HttpServer http;
  private final ExecutorService threads;
  private final Semaphore scrapes = new Semaphore(SCRAPES);
  private volatile @Nullable Served served;
  private volatile boolean ready;

  private ManagementHttp(HttpServer http) {
    this.http = http;
    this.threads =
        new ThreadPoolExecutor(
            0,
            CONNECTIONS,
            IDLE_THREAD_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().stackSize(STACK_BYTES).name("nyala-http-", 1).factory(),
            // As many threads as connections: there may be one more only briefly, between two of
            // them.
            new ThreadPoolExecutor.CallerRunsPolicy());
  }

  /**
   * Binds the port; answers from now on, at first that nothing is ready.
   *
   * @throws IOException if it cannot listen on the address
   */
  public static ManagementHttp start(InetSocketAddress address) throws IOException {
    HttpServer http;
    try {
      http = HttpServer.create(address, BACKLOG);
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
    ManagementHttp management = new ManagementHttp(http);
    http.createContext("/", management::answer);
    http.setExecutor(management.threads);
    http.start();
    return management;
  }

  /**
   * Shows a server.
   *
   * @param meters its meters
   * @param live whether its event loops respond
   */
  public void serve(ServerMeters meters, BooleanSupplier live) {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    meters.bindTo(registry);
    registry.getPrometheusRegistry().register(meters);
    served = new Served(registry, live);
  }

  /** Sets whether clients should connect: false at first, and again when the server is to stop. */
  public void ready(boolean nowReady) {
    ready = nowReady;
  }

  /** Returns the address that it listens on, with the actual port. */
  public InetSocketAddress address() {
    return http.getAddress();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String method = exchange.getRequestMethod();
      if (!method.equals("GET") && !method.equals("HEAD")) {
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        send(exchange, METHOD_NOT_ALLOWED, TEXT, "only GET and HEAD\n");
        return;
      }
      Served now = served;
      switch (exchange.getRequestURI().getPath()) {
        case "/live" -> sendHealth(exchange, now == null || now.live().getAsBoolean(), "live");
        case "/ready" ->
            sendHealth(exchange, ready && now != null && now.live().getAsBoolean(), "ready");
        case "/metrics" -> sendMetrics(exchange, now);
        default -> send(exchange, NOT_FOUND, TEXT, "there are /metrics, /live and /ready\n");
      }
    }
  }

  private static void sendHealth(HttpExchange exchange, boolean is, String what)
      throws IOException {
    send(exchange, is ? OK : UNAVAILABLE, TEXT, (is ? what : "not " + what) + "\n");
  }

  private void sendMetrics(HttpExchange exchange, @Nullable Served now) throws IOException {
    if (now == null) {
      send(exchange, UNAVAILABLE, TEXT, "the server is starting\n");
      return;
    }
    String accept = exchange.getRequestHeaders().getFirst("Accept");
    String type =
        accept != null && accept.contains(OPEN_METRICS)
            ? OPEN_METRICS + "; version=1.0.0; charset=utf-8"
            : "text/plain; version=0.0.4; charset=utf-8";
    scrapes.acquireUninterruptibly();
    String text;
    try {
      text = now.registry().scrape(type);
    } finally {
      scrapes.release();
    }
    send(exchange, OK, type, text);
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  /** Closes the port. Idempotent. */
  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
    Served last = served;
    if (last != null) {
      last.registry().close();
    }
  }
}
