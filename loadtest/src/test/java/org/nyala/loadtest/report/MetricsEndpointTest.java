package org.nyala.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.engine.LoadTester;
import org.nyala.loadtest.engine.StubServer;
import org.nyala.loadtest.result.Disturbance;
import org.nyala.loadtest.result.GcPauses;
import org.nyala.loadtest.result.IntervalSample;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;

/** The figures of a running test, as Prometheus reads them. */
class MetricsEndpointTest {
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final LoadSettings SETTINGS =
      new LoadSettings(
          JobKind.SEARCH,
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 389),
          7,
          1,
          TestDuration.of(20, 0),
          People.of(1),
          Account.ANONYMOUS,
          0,
          JobOptions.DEFAULT);
  private static final String LABELS = "{job=\"search\",server=\"ldap://localhost:389\"";

  private static HttpResponse<String> send(String method, int port, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }

  private static Exposition scrape(int port) throws Exception {
    HttpResponse<String> response = send("GET", port, "/metrics");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    return Exposition.parse(response.body());
  }

  private static void interval(MetricsEndpoint endpoint, boolean isWarmup, long... micros) {
    Histogram nanos = new Histogram(3);
    for (long each : micros) {
      nanos.recordValue(each * 1000);
    }
    IntervalSample.Times times = IntervalSample.Times.NONE;
    Map<String, Long> errors = Map.of("timedOut", 2L, "resultCode51", 1L);
    endpoint.interval(
        SETTINGS,
        new IntervalSample(
            0,
            0.5,
            isWarmup,
            10,
            10,
            errors,
            times,
            times,
            -1,
            -1,
            -1,
            Disturbance.NONE,
            GcPauses.NONE,
            1),
        nanos,
        nanos);
  }

  @Test
  void shouldAddUpIntervals() throws Exception {
    try (MetricsEndpoint endpoint = new MetricsEndpoint(ANY_PORT)) {
      assertThat(scrape(endpoint.port()).value("nyala_loadtest_phase{phase=\"setup\"}")).isOne();
      interval(endpoint, true);
      interval(endpoint, false, 90, 240, 700_000);
      interval(endpoint, false, 20_000_000);

      Exposition page = scrape(endpoint.port());
      assertThat(page.value("nyala_loadtest_phase{phase=\"measured\"}")).isOne();
      assertThat(page.value("nyala_loadtest_phase{phase=\"setup\"}")).isZero();
      assertThat(page.value("nyala_loadtest_operations_total" + LABELS + "}")).isEqualTo(30);
      assertThat(page.value("nyala_loadtest_connections" + LABELS + "}")).isEqualTo(7);
      assertThat(page.value("nyala_loadtest_units_per_second" + LABELS + "}")).isEqualTo(20);
      assertThat(page.value("nyala_loadtest_errors_total" + LABELS + ",kind=\"timedOut\"}"))
          .isEqualTo(6);
      String bucket = "nyala_loadtest_latency_seconds_bucket" + LABELS + ",le=\"";
      assertThat(page.value(bucket + "0.0001\"}")).isEqualTo(1);
      assertThat(page.value(bucket + "0.00025\"}")).isEqualTo(2);
      assertThat(page.value(bucket + "0.5\"}")).isEqualTo(2);
      assertThat(page.value(bucket + "1\"}")).isEqualTo(3);
      assertThat(page.value(bucket + "10\"}")).isEqualTo(3);
      assertThat(page.value(bucket + "+Inf\"}")).isEqualTo(4);
      assertThat(page.value("nyala_loadtest_latency_seconds_sum" + LABELS + "}"))
          .isBetween(20.6, 20.8);
      endpoint.end();
      assertThat(scrape(endpoint.port()).value("nyala_loadtest_phase{phase=\"ended\"}")).isOne();
    }
  }

  @Test
  void shouldAnswerNothingElse() throws Exception {
    try (MetricsEndpoint endpoint = new MetricsEndpoint(ANY_PORT)) {
      assertThat(send("GET", endpoint.port(), "/").statusCode()).isEqualTo(404);
      assertThat(send("POST", endpoint.port(), "/metrics").statusCode()).isEqualTo(405);
      HttpResponse<String> head = send("HEAD", endpoint.port(), "/metrics");
      assertThat(head.statusCode()).isEqualTo(200);
      assertThat(head.body()).isEmpty();
    }
  }

  @Test
  void shouldSayThatThePortIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address = (InetSocketAddress) taken.getLocalSocketAddress();
      assertThatThrownBy(() -> new MetricsEndpoint(address).close())
          .isInstanceOf(LoadTestException.class)
          .hasMessageStartingWith("--metrics-port: a free port of this machine is expected; ");
      LoadTester tester = new LoadTester();
      assertThat(
              tester.run(
                  "search",
                  "--url=ldap://127.0.0.1:1",
                  "--users=1",
                  "--metrics-port=" + address.getPort()))
          .isEqualTo(ExitCode.FAILED);
      assertThat(tester.err()).contains("--metrics-port: a free port");
    }
  }

  @Test
  void shouldRefuseWhatIsNoAddress() {
    LoadTester tester = new LoadTester();
    String[] search = {"search", "--url=ldap://127.0.0.1:1", "--users=1", "--metrics-port=70000"};
    assertThat(tester.run(search)).isEqualTo(ExitCode.USAGE);
    assertThat(tester.err()).contains("--metrics-port must be from 0 to 65535, not 70000");
  }

  /** The server scrapes the tester while it lets it wait. */
  @Test
  void shouldShowATestThatRuns() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Set<String> phases = ConcurrentHashMap.newKeySet();
    StubServer.Behaviour behaviour =
        (request, number, out) -> {
          if (number == 40) {
            while (scrape(port).value("nyala_loadtest_phase{phase=\"measured\"}") == 0) {
              Thread.onSpinWait();
            }
            phases.add("measured");
          }
          out.write(StubServer.right(request));
        };
    try (StubServer server = StubServer.start(behaviour)) {
      LoadTester tester = new LoadTester();
      int exit =
          tester.run(
              "search",
              "--url=ldap://127.0.0.1:" + server.address().getPort(),
              "--users=10",
              "--connections=1",
              "--interval=0.05",
              "--warmup-seconds=0",
              "--rate=30",
              "--seconds=2",
              "--metrics-port=" + port);
      assertThat(exit).as(tester.out() + tester.err()).isZero();
      assertThat(tester.err()).contains("metrics: http://127.0.0.1:" + port + "/metrics");
    }
    assertThat(phases).containsExactly("measured");
    assertThatThrownBy(() -> scrape(port)).isInstanceOf(java.net.ConnectException.class);
  }
}
