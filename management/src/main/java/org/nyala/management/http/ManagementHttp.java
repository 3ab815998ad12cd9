package org.nyala.management.http;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.log.LoginListener;
import org.nyala.management.ServerMeters;
import org.nyala.management.page.LivePage;
import org.nyala.netty.tls.TlsSockets;

/**
 * The HTTP port for monitoring: the live page for people, {@code /metrics} for Prometheus, {@code
 * /live} and {@code /ready} for systems that start, restart and balance servers. The latter two
 * take no password.
 *
 * <p>Thread-safe. It has threads of its own, so that it answers while everything else is busy.
 */
public final class ManagementHttp implements AutoCloseable {
  /** Concurrent scrapes; each takes a processor for some milliseconds. */
  private static final int SCRAPES = 2;

  /** Scrapes that wait for that or are served; further ones are refused. */
  private static final int PLACES = 16;

  private static final int PATIENCE_SECONDS = 5;
  private static final String OPEN_METRICS = "application/openmetrics-text";

  /** The parts that exist once the server has been composed. */
  private record Served(
      PrometheusMeterRegistry registry, ServerMeters meters, ServerHealth health, LivePage page) {
    String scrape(String type) {
      meters.look();
      return registry.scrape(type);
    }
  }

  private final HttpAcceptor acceptor;
  private final HttpLogin login;
  private final PagePort pages;
  private final Semaphore scrapes = new Semaphore(SCRAPES, true);
  private final Semaphore places = new Semaphore(PLACES);
  private volatile @Nullable Served served;
  private volatile boolean ready;

  private ManagementHttp(
      InetSocketAddress address, @Nullable TlsSockets tls, HttpAccess access, LoginListener logins)
      throws IOException {
    this.login = new HttpLogin(access, logins);
    this.pages = new PagePort(login);
    this.acceptor = HttpAcceptor.start(address, tls, this::answer);
  }

  /**
   * Binds the port; answers from now on, at first that nothing is ready.
   *
   * @param tls encrypts connections, and is not closed by this port; null for none
   * @param access the accounts for all but {@code /live} and {@code /ready}
   * @param logins learns of wrong names and passwords
   * @throws IOException if it cannot listen on the address
   */
  public static ManagementHttp start(
      InetSocketAddress address, @Nullable TlsSockets tls, HttpAccess access, LoginListener logins)
      throws IOException {
    return new ManagementHttp(address, tls, access, logins);
  }

  /**
   * Shows a server.
   *
   * @param meters its meters
   * @param health its health
   * @param page its live page, which others close
   */
  public void serve(ServerMeters meters, ServerHealth health, LivePage page) {
    page.actionsRefusedBy(() -> login.access().admin().isPresent() ? "" : PagePort.withoutAdmin());
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    meters.bindTo(registry);
    registry.getPrometheusRegistry().register(meters);
    served = new Served(registry, meters, health, page);
  }

  /** Sets whether clients should connect: false at first, and again when the server is to stop. */
  public void ready(boolean nowReady) {
    ready = nowReady;
  }

  /**
   * Sets the accounts; how the page is read stays.
   *
   * @return false if that is impossible: between an account and none
   */
  public boolean reconfigure(HttpAccess wanted) {
    HttpAccess before = login.access();
    boolean isPossible = wanted.isLike(before);
    if (isPossible) {
      login.letIn(new HttpAccess(wanted.monitor(), wanted.admin(), before.page()));
    }
    return isPossible;
  }

  /** Returns the address that it listens on, with the actual port. */
  public InetSocketAddress address() {
    return acceptor.address();
  }

  private HttpReply answer(HttpRequest request, ClientNetwork client, String address) {
    Served now = served;
    boolean isOfPage = pages.isAsked(request);
    if (isOfPage && request.isAction()) {
      return pages.answer(request, client, address, now == null ? null : now.page());
    }
    if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
      return HttpAnswer.text(HttpAnswer.METHOD_NOT_ALLOWED, "only GET and HEAD")
          .with("Allow", "GET, HEAD");
    }
    if (isOfPage) {
      return pages.answer(request, client, address, now == null ? null : now.page());
    }
    return switch (request.path()) {
      case "/live" -> health(now == null || now.health().isLive(), "live", List.of());
      case "/ready" -> ready(now, ServerHealth::isReady, "ready");
      case "/ready/read" -> ready(now, ServerHealth::isReadable, "ready to read");
      case "/ready/write" -> ready(now, ServerHealth::isWritable, "ready to write");
      default -> guarded(request, client, address, now);
    };
  }

  private HttpAnswer ready(@Nullable Served now, Predicate<ServerHealth> question, String what) {
    boolean is = ready && now != null && question.test(now.health());
    return health(is, what, now == null ? List.of() : now.health().alarms().get());
  }

  /** Answers with the labels of alarms, and not their text: nobody has shown a password. */
  private static HttpAnswer health(boolean is, String what, List<String> alarms) {
    StringBuilder text = new StringBuilder(is ? what : "not " + what);
    alarms.forEach(alarm -> text.append("\nalarm ").append(alarm));
    return HttpAnswer.text(is ? HttpAnswer.OK : HttpAnswer.UNAVAILABLE, text.toString());
  }

  private HttpAnswer guarded(
      HttpRequest request, ClientNetwork client, String address, @Nullable Served now) {
    // Without an account for them, metrics are read by who reaches the port.
    boolean isOpen = login.access().monitor().isEmpty();
    HttpAnswer refusal = isOpen ? null : login.refusal(login.readers(), request, client, address);
    if (refusal != null) {
      return refusal;
    }
    if (!request.path().equals("/metrics")) {
      return HttpAnswer.text(
          HttpAnswer.NOT_FOUND,
          "there are /metrics, /live, /ready, /ready/read, /ready/write, and the live page at / if"
              + " it is on");
    }
    return now == null
        ? HttpAnswer.text(HttpAnswer.UNAVAILABLE, "the server is starting")
        : metrics(request, now);
  }

  private HttpAnswer metrics(HttpRequest request, Served now) {
    boolean isOpen = request.header("Accept").orElse("").contains(OPEN_METRICS);
    String type =
        isOpen
            ? OPEN_METRICS + "; version=1.0.0; charset=utf-8"
            : "text/plain; version=0.0.4; charset=utf-8";
    boolean hasPlace = places.tryAcquire();
    boolean hasTurn = false;
    try {
      hasTurn = hasPlace && scrapes.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return hasTurn
          ? new HttpAnswer(HttpAnswer.OK, Map.of("Content-Type", type), now.scrape(type))
          : HttpAnswer.text(HttpAnswer.UNAVAILABLE, "too many requests for /metrics at once");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return HttpAnswer.text(HttpAnswer.UNAVAILABLE, "the server ends");
    } finally {
      scrapes.release(hasTurn ? 1 : 0);
      places.release(hasPlace ? 1 : 0);
    }
  }

  /** Closes the port. Idempotent. */
  @Override
  public void close() {
    acceptor.close();
    Served last = served;
    if (last != null) {
      last.registry().close();
    }
  }
}
