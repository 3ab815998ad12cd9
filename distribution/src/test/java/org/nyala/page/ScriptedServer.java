package org.nyala.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Serves the files of the live page, and a sample that a test has written in place of a server's.
 *
 * <p>Thread-safe.
 */
final class ScriptedServer implements AutoCloseable {
  /** The headers that the server sends with each file. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
          + " data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final int POINTS = 720;
  private static final int INTERVAL_SECONDS = 5;
  private static final List<String> SERIES =
      List.of(
          "bindPerSecond",
          "unbindPerSecond",
          "searchPerSecond",
          "modifyPerSecond",
          "addPerSecond",
          "deletePerSecond",
          "modifyDnPerSecond",
          "comparePerSecond",
          "abandonPerSecond",
          "extendedPerSecond",
          "medianMicros",
          "percentile99Micros",
          "admissionPercentile99Micros",
          "queuePercentile99Micros",
          "connections",
          "inFlight",
          "waitingChanges",
          "refusedPerSecond",
          "commitsPerSecond",
          "batchMean",
          "commitPercentile99Micros",
          "usedBytes",
          "diskFreeBytes",
          "heldBytes",
          "lagSeconds",
          "alarms");

  private static final Map<String, String> TYPES =
      Map.of("html", "text/html; charset=utf-8", "js", "text/javascript", "css", "text/css");

  private final HttpServer http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final JsonObject sample;
  private final boolean hasEvents;

  /**
   * Begins to serve.
   *
   * @param sample the sample; the server adds the time
   * @param hasEvents false if it has no room for followers
   */
  ScriptedServer(JsonObject sample, boolean hasEvents) throws IOException {
    this.sample = sample;
    this.hasEvents = hasEvents;
    this.http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.setExecutor(threads);
    http.createContext("/", this::answer);
    http.start();
  }

  /** Returns the sample of the tests, in which each list has something. */
  static JsonObject sample() throws IOException {
    return JsonParser.parseString(resource("/org/nyala/page/sample.json")).getAsJsonObject();
  }

  String url() {
    return "http://127.0.0.1:" + http.getAddress().getPort() + "/";
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      String path = exchange.getRequestURI().getPath();
      switch (path) {
        case "/" -> file(exchange, "index.html");
        case "/page/data" -> send(exchange, 200, "application/json", now());
        case "/page/history" -> send(exchange, 200, "application/json", history());
        case "/page/events" -> events(exchange);
        case "/page/actions/login" ->
            send(exchange, 200, "application/json", "{\"done\": true, \"sentence\": \"\"}");
        default -> file(exchange, path.substring("/page/".length()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void events(HttpExchange exchange) throws IOException, InterruptedException {
    if (!hasEvents) {
      send(exchange, 503, "text/plain", "too many pages are open");
      return;
    }
    exchange.getResponseHeaders().add("Content-Type", "text/event-stream; charset=utf-8");
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    do {
      out.write(("event: sample\ndata: " + now() + "\n\n").getBytes(UTF_8));
      out.flush();
    } while (!closing.await(1, TimeUnit.SECONDS));
  }

  private String now() {
    JsonObject now = sample.deepCopy();
    now.addProperty("timeMillis", System.currentTimeMillis());
    return now.toString();
  }

  private static String history() {
    long last = TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
    JsonArray times = new JsonArray();
    for (int i = POINTS; i > 0; i--) {
      times.add(last - (long) i * INTERVAL_SECONDS);
    }
    JsonObject series = new JsonObject();
    for (String name : SERIES) {
      double size = 1 << (name.hashCode() & 7);
      JsonArray numbers = new JsonArray();
      for (int i = 0; i < POINTS; i++) {
        numbers.add(Math.round(10 * size * (1.1 + Math.sin(i / (20 + size)))) / 10.0);
      }
      series.add(name, numbers);
    }
    JsonObject history = new JsonObject();
    history.addProperty("intervalSeconds", INTERVAL_SECONDS);
    history.addProperty("points", POINTS);
    history.add("times", times);
    history.add("series", series);
    return history.toString();
  }

  private static void file(HttpExchange exchange, String name) throws IOException {
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    String folder = "/org/nyala/management/page/";
    String library = "/META-INF/resources/webjars/uplot/1.6.30/dist/";
    send(
        exchange,
        200,
        type,
        switch (name) {
          case "uplot.js" -> resource(library + "uPlot.iife.min.js");
          case "uplot.css" -> resource(library + "uPlot.min.css");
          default -> resource(folder + name);
        });
  }

  private static void send(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.getResponseHeaders().add("Content-Type", type);
    exchange.getResponseHeaders().add("Content-Security-Policy", POLICY);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  static String resource(String name) throws IOException {
    try (InputStream in = ScriptedServer.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), UTF_8);
    }
  }

  @Override
  public void close() {
    closing.countDown();
    http.stop(0);
    threads.close();
  }
}
