package org.nyala.page;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.page.PageClient.HOST;
import static org.nyala.page.PageClient.JSON;
import static org.nyala.page.PageClient.MARK;
import static org.nyala.page.PageClient.basic;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.page.PageClient.Answer;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Tests who reads the live page and acts by it, and who does not, over sockets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PagePortTest {
  private static final String ADMIN = "boss:right ä:";
  private static final String MONITOR = "scraper:other";
  private static final List<String> PATHS =
      List.of("/page/data", "/page/history", "/page/uplot.js", "/page/nothing");

  private Path folder;
  private RunningServer server;
  private PageClient client;

  @BeforeAll
  void start(@TempDir Path temporary) throws IOException {
    folder = temporary;
    server =
        LocalServer.start(
            folder,
            "management { http = \"127.0.0.1:0\", httpMonitor { user = scraper, password = other },"
                + " httpAdmin { user = boss, password = \"right ä:\" } }");
    client = PageClient.of(server);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private static void shouldBeGuarded(Answer answer) {
    assertThat(answer.head())
        .contains(
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';"
                + " connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none';"
                + " frame-ancestors 'none'",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer",
            "Cross-Origin-Opener-Policy: same-origin",
            "Cross-Origin-Resource-Policy: same-origin",
            "Cache-Control: no-store",
            "Connection: close")
        .doesNotContainIgnoringCase("Access-Control");
  }

  @Test
  void shouldBeReadOnThisMachineWithoutALogin() throws Exception {
    for (String path : PATHS) {
      Answer answer = client.get(path);
      assertThat(answer.status()).as(path).isEqualTo(path.equals("/page/nothing") ? 404 : 200);
      shouldBeGuarded(answer);
    }
    assertThat(client.get("/page/uplot.js").head()).contains("Content-Type: text/javascript");
    assertThat(client.get("/page/uplot.js").body()).contains("uPlot=function", "Permission is");
    assertThat(client.get("/page/uplot.css").head()).contains("Content-Type: text/css");
    shouldBeGuarded(client.get("/"));
    assertThat(client.get("/").body()).startsWith("<!DOCTYPE html>");
    for (String each : List.of("app", "text", "parts", "show", "charts", "stream", "actions")) {
      Answer script = client.get("/page/" + each + ".js");
      assertThat(script.status()).as(each).isEqualTo(200);
      assertThat(script.head()).contains("Content-Type: text/javascript");
    }
    Answer head = client.request("HEAD /page/events HTTP/1.1", "", HOST);
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.head()).contains("text/event-stream");
    for (String path : List.of("/page", "/page/../metrics", "//", "/index.html")) {
      assertThat(client.get(path, basic(MONITOR)).status()).as(path).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: evil.example",
        "X: no host",
        "Host: localhost\r\nX-Forwarded-For: 127.0.0.1",
        "Host: localhost\r\nForwarded: for=127.0.0.1",
        "Host: localhost\r\nVia: 1.1 x"
      })
  void shouldAskOthersForALogin(String headers) throws Exception {
    for (String path :
        List.of("/", "/page/data", "/page/history", "/page/events", "/page/app.js")) {
      String line = "GET " + path + " HTTP/1.1";
      for (String wrong :
          List.of("X: y", basic("boss:wrong"), basic("scraper:right ä:"), basic("boss:"))) {
        Answer refused = client.request(line, "", headers, wrong);
        assertThat(refused.status()).as("%s %s", path, wrong).isEqualTo(401);
        assertThat(refused.head()).contains("WWW-Authenticate: Basic");
        shouldBeGuarded(refused);
      }
    }
    for (String right : List.of(ADMIN, MONITOR)) {
      assertThat(client.request("GET /page/data HTTP/1.1", "", headers, basic(right)).status())
          .isEqualTo(200);
    }
    assertThat(client.request("GET /page/data HTTP/1.0", "", HOST).status()).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        "Origin: http://evil.example",
        "Origin: null"
      })
  void shouldRefuseWhatAnotherSiteHasCaused(String header) throws Exception {
    for (String path : List.of("/page/data", "/page/history", "/page/events", "/page/uplot.js")) {
      Answer refused = client.get(path, header, basic(ADMIN));
      assertThat(refused.status()).as(path).isEqualTo(403);
      shouldBeGuarded(refused);
    }
    Answer refused = client.post("login", "{}", HOST, MARK, JSON, basic(ADMIN), header);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.json().get("done").getAsBoolean()).isFalse();
    shouldBeGuarded(refused);
  }

  @Test
  void shouldRefuseActionsThatAreNotOfItsPageOrWithoutALogin() throws Exception {
    assertThat(client.act("login", "{}", ADMIN).status()).isEqualTo(200);
    assertThat(client.get("/page/actions/login", basic(ADMIN)).status()).isEqualTo(405);
    for (String method : List.of("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE")) {
      String line = method + " /page/actions/login HTTP/1.1";
      assertThat(client.request(line, "", HOST, MARK, JSON, basic(ADMIN)).status()).isEqualTo(405);
    }
    assertThat(client.request("POST /page/data HTTP/1.1", "", HOST, MARK).status()).isEqualTo(405);
    String[][] refused = {
      {"403", HOST, JSON, basic(ADMIN)},
      {"403", HOST, JSON, basic(ADMIN), "X-Nyala-Page: 2"},
      {"415", HOST, MARK, basic(ADMIN)},
      {"415", HOST, MARK, basic(ADMIN), "Content-Type: text/plain"},
      {"415", HOST, MARK, basic(ADMIN), "Content-Type: application/x-www-form-urlencoded"},
      {"415", HOST, MARK, basic(ADMIN), "Content-Type: application/jsonx"},
      {"401", HOST, MARK, JSON},
      {"401", HOST, MARK, JSON, "Authorization: Bearer x"},
      {"401", HOST, MARK, JSON, "Authorization: Basic !"},
      {"401", HOST, MARK, JSON, basic(MONITOR)},
      {"401", HOST, MARK, JSON, basic("boss:wrong")},
      {"401", HOST, MARK, JSON, basic("boss:right ä")},
      {"401", HOST, MARK, JSON, basic("Boss:right ä:")}
    };
    for (String[] each : refused) {
      String[] headers = Arrays.copyOfRange(each, 1, each.length);
      Answer answer = client.post("strategy", "{\"strategy\":\"striped\"}", headers);
      assertThat(answer.status()).as(String.join(" | ", each)).isEqualTo(Integer.parseInt(each[0]));
      assertThat(answer.head()).doesNotContainIgnoringCase("WWW-Authenticate");
      assertThat(answer.json().get("done").getAsBoolean()).isFalse();
      shouldBeGuarded(answer);
    }
    assertThat(client.data().getAsJsonObject("dispatch").get("switches").getAsInt()).isZero();
  }

  @Test
  void shouldRefuseBodiesThatMakeNoSense() throws Exception {
    assertThat(client.act("nothing", "{}", ADMIN).status()).isEqualTo(404);
    assertThat(client.act("", "{}", ADMIN).status()).isEqualTo(404);
    assertThat(client.act("../data", "{}", ADMIN).status()).isEqualTo(404);
    for (String body : List.of("", "x", "[]", "{", "{\"a\":{}}", "{\"strategy\":1}", "{}")) {
      Answer answer = client.act("strategy", body, ADMIN);
      assertThat(answer.status()).as(body).isEqualTo(400);
      assertThat(answer.sentence()).isNotEmpty();
    }
    Answer unknown = client.act("strategy", "{\"strategy\":\"<b>\"}", ADMIN);
    assertThat(unknown.status()).isEqualTo(400);
    assertThat(unknown.body()).doesNotContain("<");
    String[] headers = {HOST, MARK, JSON, basic(ADMIN)};
    String line = "POST /page/actions/login HTTP/1.1";
    assertThat(client.request(line, "", headers).status()).isEqualTo(411);
    String large = "{\"a\":\"" + "x".repeat(16_384) + "\"}";
    assertThat(client.act("login", large, ADMIN).status()).isEqualTo(413);
    String fits = "{\"a\":\"" + "x".repeat(16_384 - 8) + "\"}";
    assertThat(client.act("login", fits, ADMIN).status()).isEqualTo(200);
  }

  @Test
  void shouldActByABodyThatIsSplitAnywhere() throws Exception {
    String text =
        "POST /page/actions/login HTTP/1.1\r\n"
            + String.join("\r\n", HOST, MARK, JSON, basic(ADMIN), "Content-Length: 2")
            + "\r\n\r\n{}";
    byte[] bytes = text.getBytes(ISO_8859_1);
    for (int split = 1; split < bytes.length; split++) {
      try (Socket socket = client.open()) {
        socket.setTcpNoDelay(true);
        socket.getOutputStream().write(bytes, 0, split);
        socket.getOutputStream().write(bytes, split, bytes.length - split);
        byte[] first = socket.getInputStream().readNBytes(12);
        assertThat(new String(first, UTF_8)).as("split at %d", split).isEqualTo("HTTP/1.1 200");
      }
    }
  }

  @Test
  void shouldNotWaitForASlowBody() throws Exception {
    try (Socket socket = client.open()) {
      String head =
          "POST /page/actions/login HTTP/1.1\r\n"
              + String.join("\r\n", HOST, MARK, JSON, basic(ADMIN), "Content-Length: 2")
              + "\r\n\r\n{";
      socket.getOutputStream().write(head.getBytes(ISO_8859_1));
      // The end comes before the patience of this client is over.
      assertThat(end(socket)).isTrue();
    }
    assertThat(client.act("login", "{}", ADMIN).status()).isEqualTo(200);
  }

  private static boolean end(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldLogWhoHasActedAndWhoWasRefused() throws Exception {
    assertThat(client.act("login", "{\"x\":\"a\\nb c=d\\\"\"}", ADMIN).status()).isEqualTo(200);
    assertThat(client.act("strategy", "{\"strategy\":\"none\"}", ADMIN).status()).isEqualTo(400);
    assertThat(client.act("login", "{}", "boss:canary").status()).isEqualTo(401);
    Path log = folder.resolve("logs/security.log");
    // Other tests have acted at the same server.
    List<String> expected =
        List.of(
            " via=http action=login user=\"boss\" about=\"x=a\\0Ab\\20c=d\\22\"\n",
            " via=http action=strategy user=\"boss\" about=\"strategy=none\"\n",
            " management-login-failed from=127.0.0.1");
    eventually("all are written", () -> expected.stream().allMatch(read(log)::contains));
    assertThat(read(log)).doesNotContain("canary", "right");
  }

  @Test
  void shouldKeepToThisMachineWithoutAnAccount(@TempDir Path other) throws Exception {
    try (RunningServer open = LocalServer.start(other, "management.http = \"127.0.0.1:0\"")) {
      PageClient browser = PageClient.of(open);
      assertThat(browser.data().getAsJsonObject("account").get("actions").getAsBoolean()).isFalse();
      Answer refused = browser.request("GET /page/data HTTP/1.1", "", "Host: evil.example");
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.body()).contains("management.httpMonitor");
      shouldBeGuarded(refused);
      Answer action = browser.act("login", "{}", ":");
      assertThat(action.status()).isEqualTo(403);
      assertThat(action.sentence()).contains("management.httpAdmin");
      assertThat(browser.request("GET /metrics HTTP/1.1", "", "Host: evil.example").status())
          .isEqualTo(200);
    }
  }

  @Test
  void shouldBeWithALoginAlwaysOrOff(@TempDir Path other, @TempDir Path third) throws Exception {
    String account = "http = \"127.0.0.1:0\", httpAdmin { user = boss, password = right }";
    try (RunningServer strict =
        LocalServer.start(other, "management { " + account + ", httpPage = login }")) {
      PageClient browser = PageClient.of(strict);
      for (String path : List.of("/", "/page/data", "/page/uplot.js", "/page/events")) {
        assertThat(browser.get(path).status()).as(path).isEqualTo(401);
      }
      assertThat(browser.get("/page/data", basic("boss:right")).status()).isEqualTo(200);
      // The account of actions asks nobody who reads metrics.
      assertThat(browser.get("/metrics").status()).isEqualTo(200);
    }
    try (RunningServer off =
        LocalServer.start(third, "management { " + account + ", httpPage = off }")) {
      PageClient browser = PageClient.of(off);
      for (String path : List.of("/", "/page/data", "/page/uplot.js", "/page/events")) {
        assertThat(browser.get(path, basic("boss:right")).status()).as(path).isEqualTo(404);
      }
      assertThat(browser.act("login", "{}", "boss:right").status()).isEqualTo(405);
    }
  }
}
