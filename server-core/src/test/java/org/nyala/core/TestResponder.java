package org.nyala.core;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A responder of OCSP for one test, whose answers the test makes.
 *
 * <p>Thread-safe.
 */
public final class TestResponder implements AutoCloseable {
  private final HttpServer http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger asked = new AtomicInteger();
  private volatile Answering answering = exchange -> exchange.sendResponseHeaders(500, -1);

  /** The way in which it answers. */
  @FunctionalInterface
  public interface Answering {
    /** Answers; the exchange is closed afterwards. */
    void answer(HttpExchange exchange) throws Exception;
  }

  /** Starts one on loopback, which answers each request by a thread of its own. */
  public TestResponder() throws IOException {
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.setExecutor(threads);
    http.createContext("/", this::handle);
    http.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    asked.incrementAndGet();
    try (exchange) {
      answering.answer(exchange);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  /** Sets the way in which it answers from now on. */
  public void answer(Answering next) {
    answering = next;
  }

  /** Sends bytes as an answer. */
  public static void send(HttpExchange exchange, byte[] answer) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/ocsp-response");
    exchange.sendResponseHeaders(200, answer.length);
    exchange.getResponseBody().write(answer);
  }

  /** Its address. */
  public String address() {
    return "http://127.0.0.1:" + http.getAddress().getPort() + "/ocsp";
  }

  /** Returns the number of requests so far. */
  public int asked() {
    return asked.get();
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
