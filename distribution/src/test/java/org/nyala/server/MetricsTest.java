package org.nyala.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.core.metrics.Phase;
import org.nyala.error.Installation;
import org.nyala.process.LocalServer;

/** Compares counters with the requests that were sent. */
class MetricsTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String REQUESTS = "ldap_server_requests_seconds";

  @TempDir Path folder;

  private final HttpClient http = HttpClient.newHttpClient();
  private RunningServer server;

  @BeforeEach
  void start() throws Exception {
    start("adaptive");
  }

  private void start(String strategy) throws Exception {
    server =
        LocalServer.start(
            folder,
            """
            access.anonymousRead = true
            dispatch.strategy = STRATEGY
            management.http = "127.0.0.1:0"
            """
                .replace("STRATEGY", strategy));
  }

  @AfterEach
  void stop() {
    server.close();
    http.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return send(HttpRequest.newBuilder(uri(path)).build());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.httpAddress().orElseThrow().getPort() + path);
  }

  private HttpResponse<String> send(HttpRequest request) throws Exception {
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private Map<String, Double> metrics() throws Exception {
    return ShownMetrics.of(server);
  }

  private static String requests(String kind, String operation, String result) {
    return REQUESTS + kind + "{operation=\"" + operation + "\",result=\"" + result + "\"}";
  }

  private LDAPConnection connect() throws LDAPException {
    return LocalServer.connect(server);
  }

  private void converse() throws Exception {
    try (LDAPConnection connection = connect()) {
      connection.bind("cn=admin", "admin");
      assertThatThrownBy(() -> connection.bind("cn=admin", "wrong")).isNotNull();
      connection.bind("cn=admin", "admin");
      connection.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
      for (int i = 0; i < 5; i++) {
        connection.add("dn: ou=o" + i + "," + SUFFIX, "objectClass: organizationalUnit");
      }
      for (int i = 0; i < 7; i++) {
        connection.modify(
            "ou=o1," + SUFFIX, new Modification(ModificationType.REPLACE, "l", "town " + i));
      }
      connection.modifyDN("ou=o1," + SUFFIX, "ou=p1", true);
      connection.delete("ou=p1," + SUFFIX);
      for (int i = 0; i < 100; i++) {
        connection.search(SUFFIX, SearchScope.SUB, "(ou=o2)");
      }
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> connection.search("ou=none," + SUFFIX, SearchScope.SUB, "(ou=a)"))
            .isNotNull();
      }
      connection.compare(new CompareRequest("ou=o2," + SUFFIX, "ou", "o2"));
      connection.compare(new CompareRequest("ou=o2," + SUFFIX, "ou", "o3"));
      connection.processExtendedOperation("1.3.6.1.4.1.4203.1.11.3");
      connection.abandon(
          connection.asyncSearch(
              new SearchRequest(new NoResults(), SUFFIX, SearchScope.BASE, "(objectClass=*)")));
      // Answered after the abandon was read; requests at the end of a connection may stay unread.
      connection.compare(new CompareRequest("ou=o2," + SUFFIX, "ou", "o2"));
    }
  }

  /** Waits for the end of abandoned operations, which may end after their connection. */
  private void awaitQuiet() throws Exception {
    eventually("quiet", () -> isQuiet(metrics()));
  }

  private static boolean isQuiet(Map<String, Double> metrics) {
    return metrics.get("ldap_server_connections") == 0
        && metrics.get("ldap_server_operations_active") == 0
        && answered(metrics) >= 101
        && metrics.get("ldap_server_responses_sent_total") >= 225;
  }

  /** Returns the answered searches: the abandoned one may have been answered before. */
  private static double answered(Map<String, Double> metrics) {
    return metrics.getOrDefault(requests("_count", "search", "success"), 0.0)
        + metrics.getOrDefault(requests("_count", "search", "abandoned"), 0.0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "striped", "lightweight", "run-to-completion"})
  void shouldCountWhatWasSent(String strategy) throws Exception {
    server.close();
    start(strategy);
    // The counters must not be collected between two readings.
    System.gc();
    converse();
    awaitQuiet();
    Map<String, Double> metrics = metrics();
    assertThat(metrics)
        .containsEntry(requests("_count", "bind", "success"), 2.0)
        .containsEntry(requests("_count", "bind", "invalidCredentials"), 1.0)
        .containsEntry(requests("_count", "add", "success"), 6.0)
        .containsEntry(requests("_count", "modify", "success"), 7.0)
        .containsEntry(requests("_count", "modifyDn", "success"), 1.0)
        .containsEntry(requests("_count", "delete", "success"), 1.0)
        .containsEntry(requests("_count", "search", "noSuchObject"), 3.0)
        .containsEntry(requests("_count", "compare", "compareTrue"), 2.0)
        .containsEntry(requests("_count", "compare", "compareFalse"), 1.0)
        .containsEntry(requests("_count", "extended", "success"), 1.0)
        .containsEntry("ldap_server_operations_started_total{operation=\"abandon\"}", 1.0)
        .containsEntry("ldap_server_operations_started_total{operation=\"search\"}", 104.0)
        .containsEntry("ldap_server_operations_active", 0.0)
        .containsEntry("ldap_server_connections_opened_total", 1.0)
        .containsEntry("ldap_server_dispatch_strategy{strategy=\"" + strategy + "\"}", 1.0);
    assertThat(answered(metrics)).isEqualTo(101.0);
    assertThat(metrics.get("ldap_server_bytes_sent_total")).isGreaterThan(100.0 * 40);
    assertThat(metrics.get("ldap_server_responses_sent_total")).isBetween(225.0, 227.0);
    shouldSum(metrics);
    assertThat(metrics)
        .containsEntry("ldap_server_requests_commit_seconds_count{operation=\"add\"}", 6.0)
        .containsEntry("ldap_server_requests_execute_seconds_count{operation=\"search\"}", 104.0)
        .containsEntry("ldap_server_requests_decode_seconds_count{operation=\"bind\"}", 3.0);
    assertThat(metrics.get("ldap_server_slices_seconds_count{operation=\"search\"}"))
        .isGreaterThanOrEqualTo(104.0);
    assertThat(metrics.get("ldap_server_slices_longest_seconds{operation=\"search\"}"))
        .isBetween(1e-6, metrics.get("ldap_server_slices_seconds_sum{operation=\"search\"}"));
  }

  /**
   * Checks histograms: buckets never decrease, the last one contains all; the phases are parts of
   * the whole.
   */
  private static void shouldSum(Map<String, Double> metrics) {
    double whole = 0;
    double parts = 0;
    int series = 0;
    for (Map.Entry<String, Double> metric : metrics.entrySet()) {
      String name = metric.getKey();
      if (name.startsWith("ldap_server_requests") && name.contains("le=\"+Inf\"")) {
        String count = name.replace("_bucket", "_count").replaceAll(",?le=\"[^\"]*\"", "");
        assertThat(metric.getValue()).as(name).isEqualTo(metrics.get(count));
        series++;
      }
      if (name.startsWith(REQUESTS + "_sum")) {
        whole += metric.getValue();
      } else if (name.matches("ldap_server_requests_[a-z]+_seconds_sum.*")) {
        parts += metric.getValue();
      }
    }
    assertThat(series).isGreaterThan(15);
    assertThat(parts).isCloseTo(whole, Percentage.withPercentage(0.1));
  }

  /** Sends requests slowly, or none: such clients delay no other one and are disconnected. */
  @Test
  void shouldAnswerBesideConnectionsThatDrip() throws Exception {
    // They are disconnected after seconds, which may be too few for the others on a slow machine.
    eventually("others are answered while all of them are connected", this::answersBeforeTheEnd);
  }

  /** Returns whether probes succeed before any of the connections that drip has ended. */
  private boolean answersBeforeTheEnd() throws Exception {
    List<SocketChannel> dripping = new ArrayList<>();
    try {
      for (int i = 0; i < 40; i++) {
        SocketChannel channel = SocketChannel.open(server.httpAddress().orElseThrow());
        dripping.add(channel);
        if (i % 4 != 0) {
          channel.write(ByteBuffer.wrap("GET /live HT".getBytes(UTF_8)));
        }
        channel.configureBlocking(false);
      }
      boolean isProven = true;
      for (int i = 0; i < 5; i++) {
        isProven &= get("/live").statusCode() == 200;
      }
      for (SocketChannel channel : dripping) {
        isProven &= channel.read(ByteBuffer.allocate(1)) == 0;
      }
      for (SocketChannel channel : dripping) {
        eventually("it has ended", () -> channel.read(ByteBuffer.allocate(1)) < 0);
      }
      return isProven;
    } finally {
      for (SocketChannel channel : dripping) {
        channel.close();
      }
    }
  }

  @Test
  void shouldNameEveryPhaseAndWhatTheDashboardAsksFor() throws Exception {
    converse();
    String body = get("/metrics").body();
    // Prometheus gets no metric of a phase that never occurred.
    Pattern rare = Pattern.compile("ldap_server_requests_(admission|queue|hash|write)_.*");
    for (Phase phase : Phase.values()) {
      String name = "ldap_server_requests_" + phase.label() + "_seconds";
      assertThat(body.contains("# TYPE " + name + " histogram") || rare.matcher(name).matches())
          .as(name)
          .isTrue();
    }
    String dashboard = Files.readString(Path.of("src/packaging/conf/grafana-dashboard.json"));
    Matcher names = Pattern.compile("\\b((?:ldap|jvm|process|system)_[a-z_]+)").matcher(dashboard);
    int found = 0;
    while (names.find()) {
      // Those of a cluster are there only with one, and asked for in a test of its own.
      boolean isOfCluster = names.group(1).startsWith("ldap_extension_cluster_");
      if (!isOfCluster && !rare.matcher(names.group(1)).matches()) {
        assertThat(body).containsPattern("\n" + names.group(1) + "[{ ]");
      }
      found++;
    }
    assertThat(found).isGreaterThan(35);
  }

  @Test
  void shouldSayWhetherItLivesAndIsReady() throws Exception {
    eventually("all event loops answer within a second", () -> get("/live").statusCode() == 200);
    eventually("ready", () -> get("/ready").body().equals("ready\n"));
    eventually("ready to read", () -> get("/ready/read").body().equals("ready to read\n"));
    eventually("ready to write", () -> get("/ready/write").body().equals("ready to write\n"));
    assertThat(get("/other").statusCode()).isEqualTo(404);
    assertThat(
            send(HttpRequest.newBuilder(uri("/metrics"))
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build())
                .statusCode())
        .isEqualTo(405);
    HttpResponse<String> head =
        send(
            HttpRequest.newBuilder(uri("/metrics"))
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .build());
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }

  @Test
  void shouldSpeakOpenMetricsToWhoAsks() throws Exception {
    HttpResponse<String> response =
        send(
            HttpRequest.newBuilder(uri("/metrics"))
                .header("Accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
                .build());
    assertThat(response.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("application/openmetrics-text");
    assertThat(response.body()).endsWith("# EOF\n");
  }

  @Test
  void shouldNotStartWhereThePortIsTaken() throws Exception {
    int port = server.httpAddress().orElseThrow().getPort();
    Path file =
        Files.writeString(
            folder.resolve("second.conf"),
            "nyala { listeners = [\"ldap://127.0.0.1:0\"], data = second, suffixes = [\"dc=a\"],"
                + " management.http = \"127.0.0.1:"
                + port
                + "\" }");
    NyalaConfig second = ConfigurationFile.read(file, folder);
    assertThatThrownBy(() -> RunningServer.start(second, Installation.current()))
        .hasMessageStartingWith("cannot listen on 127.0.0.1:" + port + " for HTTP: ");
  }
}
