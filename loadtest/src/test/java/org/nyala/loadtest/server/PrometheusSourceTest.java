package org.nyala.loadtest.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.loadtest.workload.LoadTestException;

/** Pages of Prometheus. */
class PrometheusSourceTest {
  private static final String PAGE =
      """
      # HELP ops_total Operations.
      # TYPE ops_total counter
      ops_total{kind="search",base="dc=\\"a\\",{b}"} 12 1700000000000
      ops_total{kind="bind"} 3
      # TYPE open gauge
      open 4.5e1
      # TYPE seconds histogram
      seconds_bucket{le="0.1"} 3
      seconds_bucket{le="+Inf"} 4
      seconds_sum 0.25
      seconds_count 4
      # a comment

      unknown NaN
      broken{ 1
      wrong one
      """;

  @Test
  void shouldReadSamples() {
    assertThat(PrometheusSource.parse(PAGE))
        .isEqualTo(
            Map.of(
                new Metric("ops_total{kind=\"search\",base=\"dc=\\\"a\\\",{b}\"}", true), 12.0,
                new Metric("ops_total{kind=\"bind\"}", true), 3.0,
                new Metric("open", false), 45.0,
                new Metric("seconds_sum", true), 0.25,
                new Metric("seconds_count", true), 4.0));
  }

  /** Pages that are damaged anywhere; some were once slow to match. */
  @Test
  void shouldSkipWhatIsDamaged() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int i = 0; i < 2000; i++) {
      char[] text = PAGE.toCharArray();
      for (int j = 0; j < 5; j++) {
        text[random.nextInt(text.length)] = "{}\",=\\ \n#0".charAt(random.nextInt(10));
      }
      assertThat(PrometheusSource.parse(new String(text))).as("seed %d", seed).isNotNull();
    }
    assertThat(PrometheusSource.parse("a{" + "\"".repeat(100_000))).isEmpty();
    assertThat(PrometheusSource.parse("a{b=\"" + "\\".repeat(100_001))).isEmpty();
    String many = "a 1\n".repeat(10) + "m%d 1\n".repeat(2000).formatted(numbers(2000));
    assertThat(PrometheusSource.parse(many)).hasSize(MetricSource.MOST_METRICS);
  }

  private static Object[] numbers(int count) {
    Object[] numbers = new Object[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = i;
    }
    return numbers;
  }

  @Test
  void shouldSayWhyThereAreNoFigures() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body =
              (exchange.getRequestURI().getPath().equals("/metrics") ? PAGE : "no").getBytes(UTF_8);
          boolean isKnown = !exchange.getRequestURI().getPath().equals("/none");
          exchange.sendResponseHeaders(isKnown ? 200 : 404, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    try {
      assertThat(new PrometheusSource(URI.create(url + "/metrics")).read()).hasSize(5);
      assertThatThrownBy(() -> new PrometheusSource(URI.create(url + "/none")).read())
          .isInstanceOf(LoadTestException.class)
          .hasMessage("it answered with the HTTP status 404");
      assertThatThrownBy(() -> new PrometheusSource(URI.create(url + "/other")).read())
          .isInstanceOf(LoadTestException.class)
          .hasMessage("its page has no figures in the format of Prometheus");
    } finally {
      server.stop(0);
    }
    assertThatThrownBy(() -> new PrometheusSource(URI.create(url)).read())
        .isInstanceOf(LoadTestException.class)
        .hasMessageStartingWith("it does not answer (");
  }
}
