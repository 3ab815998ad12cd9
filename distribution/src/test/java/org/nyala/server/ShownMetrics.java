package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.TreeMap;

/** The metrics that a server shows over HTTP. */
final class ShownMetrics {
  private ShownMetrics() {}

  /** Returns values by names and labels, as they are written. */
  static Map<String, Double> of(RunningServer server) throws Exception {
    int port = server.httpAddress().orElseThrow().getPort();
    URI uri = URI.create("http://127.0.0.1:" + port + "/metrics");
    Map<String, Double> metrics = new TreeMap<>();
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(200);
      for (String line : response.body().lines().toList()) {
        if (!line.startsWith("#")) {
          int blank = line.lastIndexOf(' ');
          metrics.put(line.substring(0, blank), Double.parseDouble(line.substring(blank + 1)));
        }
      }
    }
    return metrics;
  }
}
