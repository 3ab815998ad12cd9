package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.util.json.JSONObject;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.process.ServerProcess;

/** Tests the beans as seen by the agents of other monitoring systems. */
class OtherAgentsTest {
  private static final Path AGENTS = Path.of("target/agents");
  private static final Pattern JOLOKIA = Pattern.compile("http://127\\.0\\.0\\.1:\\d+/jolokia");

  @TempDir Path folder;

  private static String agent(String name) {
    Path jar = AGENTS.resolve(name).toAbsolutePath();
    assertThat(jar).isRegularFile();
    return "-javaagent:" + jar;
  }

  private static String get(String url) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(url).isEqualTo(200);
      return response.body();
    }
  }

  private static void addThree(ServerProcess server) throws Exception {
    try (LDAPConnection client =
        new LDAPConnection("127.0.0.1", server.port(), "cn=admin", "admin")) {
      client.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
      client.add("dn: ou=a,dc=example,dc=com", "objectClass: organizationalUnit");
      client.add("dn: ou=b,dc=example,dc=com", "objectClass: organizationalUnit");
    }
  }

  @Test
  void shouldBeReadByTheJmxExporterOfPrometheus() throws Exception {
    // A loopback address that no other program uses: the port stays free.
    String host = "127.0.0.2";
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      port = free.getLocalPort();
    }
    Path rules =
        Files.writeString(
            folder.resolve("exporter.yaml"),
            "includeObjectNames: [\"org.nyala:*\"]\nrules:\n- pattern: \".*\"\n");
    String option = agent("jmx_prometheus_javaagent.jar") + "=" + host + ":" + port + ":" + rules;
    try (ServerProcess server = ServerProcess.start(folder, "", option)) {
      addThree(server);
      String metrics = get("http://" + host + ":" + port + "/metrics");
      assertThat(metrics.lines())
          .contains("org_nyala_Store_Entries 3.0")
          .contains("org_nyala_Connections_Opened 1.0")
          .anySatisfy(line -> assertThat(line).matches("org_nyala_Store_Commits_count \\d+\\.0"));
    }
  }

  @Test
  void shouldBeReadAndCalledThroughJolokia() throws Exception {
    String option =
        agent("jolokia-agent-jvm.jar") + "=port=0,host=127.0.0.1,discoveryEnabled=false";
    try (ServerProcess server = ServerProcess.start(folder, "", option)) {
      addThree(server);
      Matcher url = JOLOKIA.matcher(server.firstOutput());
      assertThat(url.find()).as(server.firstOutput()).isTrue();
      JSONObject store = new JSONObject(get(url.group() + "/read/org.nyala:type=Store"));
      assertThat(store.getFieldAsObject("value").getFieldAsLong("Entries")).isEqualTo(3);
      assertThat(
              store.getFieldAsObject("value").getFieldAsObject("Commits").getFieldAsLong("count"))
          .isPositive();
      JSONObject switched =
          new JSONObject(get(url.group() + "/exec/org.nyala:type=Dispatch/switchStrategy/striped"));
      assertThat(switched.getFieldAsString("value")).isEqualTo("adaptive");
      JSONObject list =
          new JSONObject(get(url.group() + "/exec/org.nyala:type=Connections/list/10"));
      assertThat(list.getFieldAsArray("value")).isNotNull();
    }
  }
}
