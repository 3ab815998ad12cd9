package org.nyala.loadtest.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.unboundid.util.json.JSONObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.engine.StubServer;
import org.nyala.loadtest.format.RenderedPage;
import org.nyala.loadtest.workload.ExitCode;

/** A server's own figures in the report of a test, end to end. */
class ServerMetricsTest {
  @TempDir Path folder;
  private final LoadTester tester = new LoadTester();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger readings = new AtomicInteger();
  private HttpServer pages;
  private StubServer server;

  @BeforeEach
  void start() throws Exception {
    server =
        StubServer.start(
            (request, _, out) -> {
              requests.incrementAndGet();
              out.write(StubServer.right(request));
            });
    pages = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    pages.createContext(
        "/metrics",
        exchange -> {
          readings.incrementAndGet();
          byte[] body =
              ("# TYPE requests counter\nrequests " + requests + "\n# TYPE up gauge\nup 1\n")
                  .getBytes(UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    pages.start();
  }

  @AfterEach
  void stop() throws Exception {
    pages.stop(0);
    server.close();
  }

  private int search(String... more) {
    String[] arguments = {
      "search",
      "--url=ldap://127.0.0.1:" + server.address().getPort(),
      "--users=10",
      "--connections=2",
      "--rate=200",
      "--seconds=3",
      "--warmup-seconds=1",
      "--interval=0.2",
      "--report=" + folder
    };
    String[] all = java.util.Arrays.copyOf(arguments, arguments.length + more.length);
    System.arraycopy(more, 0, all, arguments.length, more.length);
    return tester.run(all);
  }

  private JSONObject results() throws Exception {
    return new JSONObject(Files.readString(folder.resolve("results.json")));
  }

  @Test
  void shouldShowTheServersFiguresBesideThoseOfTheTest() throws Exception {
    String url = "http://127.0.0.1:" + pages.getAddress().getPort() + "/metrics";

    assertThat(search("--server-metrics=" + url)).as(tester.out() + tester.err()).isZero();

    assertThat(readings.get()).as("once a second, before and after").isBetween(3, 7);
    JSONObject source = (JSONObject) results().getFieldAsArray("serverMetrics").getFirst();
    assertThat(source.getFieldAsString("source")).isEqualTo(url);
    assertThat(source.getFieldAsInteger("samples")).isEqualTo(readings.get());
    assertThat(source.getFieldAsString("failure")).isEmpty();
    JSONObject counter = (JSONObject) source.getFieldAsArray("figures").getFirst();
    assertThat(counter.getFieldAsString("name")).isEqualTo("requests");
    assertThat(counter.getFieldAsBoolean("perSecond")).isTrue();
    assertThat(counter.getFieldAsBigDecimal("mean").doubleValue()).isBetween(100.0, 400.0);
    assertThat(tester.out())
        .contains("the server's own figures, from " + url + ", read ")
        .containsPattern("requests +per second +[12]\\d\\d");
    try (RenderedPage page = new RenderedPage(Files.readString(folder.resolve("report.html")))) {
      assertThat(page.texts("h2")).contains("The server's own figures");
      assertThat(page.legends()).contains("load tester: search", "requests");
    }
  }

  @Test
  void shouldSayOnceThatASourceDoesNotAnswer() throws Exception {
    String url = "http://127.0.0.1:" + pages.getAddress().getPort() + "/none";

    assertThat(search("--server-metrics=" + url)).as(tester.err()).isZero();

    String sentence =
        "--server-metrics " + url + ": it could not be read: it answered with the HTTP status 404";
    assertThat(tester.err()).containsOnlyOnce(sentence);
    assertThat(tester.out()).contains("from " + url + ": none; it could not be read");
    try (RenderedPage page = new RenderedPage(Files.readString(folder.resolve("report.html")))) {
      assertThat(page.text()).contains("There are none. Once it could not be read");
    }
  }

  @Test
  void shouldRefuseWhatIsNoSource() {
    assertThat(search("--server-metrics=ftp://host/")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("--server-metrics must be monitor, monitor:DN, http://");
    assertThat(search("--server-metrics=monitor", "--monitor-dn=cn=a")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("--monitor-dn must be together with --monitor-password-file");
    assertThat(search("--server-metrics=monitor", "--find-knee")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("--server-metrics are for one test");
    assertThat(requests.get()).isZero();
  }
}
