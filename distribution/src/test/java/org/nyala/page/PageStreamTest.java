package org.nyala.page;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;
import static org.nyala.page.PageClient.HOST;

import com.google.gson.JsonObject;
import com.unboundid.ldap.sdk.LDAPConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.management.page.LivePage;
import org.nyala.page.PageClient.Events;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/** Tests the events of the live page over sockets, and what it costs others. */
class PageStreamTest {
  private static final int PAGES = 200;
  private static final int PROBES = 300;
  private static final int OPERATIONS = 200;
  private static final int SMALL_BUFFER = 4096;

  @TempDir Path folder;

  private RunningServer start() throws IOException {
    return LocalServer.start(
        folder, "access.anonymousRead = true, management.http = \"127.0.0.1:0\"");
  }

  @Test
  void shouldTellEachSecondWhatIs() throws Exception {
    try (RunningServer server = start();
        LDAPConnection client = LocalServer.connectAsRoot(server)) {
      PageClient page = PageClient.of(server);
      try (Events events = page.events()) {
        List<String> padding = events.next();
        assertThat(padding.getFirst()).startsWith(": ....").hasSizeGreaterThan(2000);
        assertThat(padding.getLast()).isEqualTo("retry: 3000");
        JsonObject first = events.sample();
        JsonObject second = events.sample();
        assertThat(second.get("sequence").getAsLong())
            .isEqualTo(first.get("sequence").getAsLong() + 1);
        assertThat(second.get("timeMillis").getAsLong())
            .isGreaterThan(first.get("timeMillis").getAsLong());
        assertThat(page.data().keySet()).isEqualTo(first.keySet());
        for (int i = 0; i < OPERATIONS; i++) {
          assertThat(client.getRootDSE()).isNotNull();
        }
        // The searches are in the rates of one look or two, and in no other.
        double seen = 0;
        while (seen < OPERATIONS - 1) {
          JsonObject before = second;
          second = events.sample();
          double seconds =
              (second.get("timeMillis").getAsLong() - before.get("timeMillis").getAsLong()) / 1e3;
          seen += kind(second, "search").get("perSecond").getAsDouble() * seconds;
        }
        assertThat(seen).isBetween(OPERATIONS * 0.8, OPERATIONS * 1.3);
        JsonObject last = second;
        assertThat(kind(last, "search").get("completed").getAsLong())
            .isGreaterThanOrEqualTo(OPERATIONS);
        assertThat(kind(last, "search").get("medianMicros").getAsDouble()).isPositive();
        assertThat(last.getAsJsonObject("connections").get("open").getAsInt()).isEqualTo(1);
        assertThat(last.getAsJsonObject("page").get("open").getAsInt()).isEqualTo(1);
      }
      eventually("a point of the last hour", () -> !history(page).isEmpty());
      JsonObject series = history(page).getFirst();
      assertThat(series.getAsJsonArray("searchPerSecond")).isNotEmpty();
      assertThat(page.data().getAsJsonObject("point").keySet()).containsAll(series.keySet());
    }
  }

  private static JsonObject kind(JsonObject sample, String name) {
    for (var each : sample.getAsJsonObject("operations").getAsJsonArray("kinds")) {
      if (each.getAsJsonObject().get("operation").getAsString().equals(name)) {
        return each.getAsJsonObject();
      }
    }
    throw new AssertionError(name);
  }

  private static List<JsonObject> history(PageClient page) throws IOException {
    JsonObject history = page.get("/page/history").json();
    assertThat(history.get("intervalSeconds").getAsInt()).isEqualTo(5);
    return history.get("points").getAsInt() == 0
        ? List.of()
        : List.of(history.getAsJsonObject("series"));
  }

  @Test
  void shouldLeavePlacesForProbesBesideTwoHundredPages() throws Exception {
    try (RunningServer server = start()) {
      PageClient page = PageClient.of(server);
      LivePage served = server.livePage();
      List<Events> open = new ArrayList<>();
      try {
        for (int i = 0; i < PAGES; i++) {
          open.add(page.events());
        }
        eventually("all are open", () -> served.feed().count() == PAGES);
        eventually("it answers", () -> page.get("/live").status() == 200);
        for (int i = 0; i < PROBES; i++) {
          assertThat(page.get("/live").status()).isEqualTo(200);
        }
        assertThat(page.get("/metrics").status()).isEqualTo(200);
        long before = served.looks();
        for (Events each : open) {
          assertThat(each.sample().get("sequence").getAsLong()).isPositive();
        }
        // One look serves all of them.
        assertThat(served.looks() - before).isLessThan(PAGES / 4);
        // One more of the same network takes the place of the oldest.
        open.add(page.events());
        assertThat(open.getLast().sample()).isNotNull();
        eventually("one has made way", () -> served.feed().count() == PAGES);
        assertThat(hasEnded(open.getFirst())).isTrue();
      } finally {
        for (Events each : open) {
          each.close();
        }
      }
      eventually("all are closed", () -> served.feed().count() == 0);
      shouldStandStill(served);
    }
  }

  private static boolean hasEnded(Events events) {
    try {
      while (true) {
        if (events.lines().readLine() == null) {
          return true;
        }
      }
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** Checks that nothing looks while no page is open. */
  private static void shouldStandStill(LivePage page) {
    eventually("nobody looks", () -> !isLooking());
    long looks = page.looks();
    assertThat(isLooking()).isFalse();
    assertThat(page.looks()).isEqualTo(looks);
  }

  private static boolean isLooking() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("nyala-page"));
  }

  @Test
  void shouldLookAtNothingWithoutAPage() throws Exception {
    try (RunningServer server = start()) {
      PageClient page = PageClient.of(server);
      eventually("a point of the last hour", () -> !history(page).isEmpty());
      assertThat(server.livePage().looks()).isZero();
      assertThat(isLooking()).isFalse();
    }
  }

  @Test
  void shouldNotWaitForAPageThatDoesNotRead() throws Exception {
    try (RunningServer server = start()) {
      PageClient page = PageClient.of(server);
      try (Socket stalled = new Socket()) {
        stalled.setReceiveBufferSize(SMALL_BUFFER);
        stalled.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), page.port()));
        stalled
            .getOutputStream()
            .write(("GET /page/events HTTP/1.1\r\n" + HOST + "\r\n\r\n").getBytes(ISO_8859_1));
        eventually("it is open", () -> server.livePage().feed().count() == 1);
        try (Events other = page.events()) {
          long before = other.sample().get("sequence").getAsLong();
          for (int i = 1; i <= 3; i++) {
            assertThat(other.sample().get("sequence").getAsLong()).isEqualTo(before + i);
          }
        }
      }
    }
  }

  @Test
  void shouldEndPagesWithAWordWhenTheServerStops() throws Exception {
    RunningServer server = start();
    PageClient page = PageClient.of(server);
    try (Events events = page.events();
        Events other = page.events()) {
      assertThat(events.sample()).isNotNull();
      server.close();
      for (Events each : List.of(events, other)) {
        List<String> last = List.of();
        for (List<String> next = each.next(); !next.isEmpty(); next = each.next()) {
          last = next;
        }
        assertThat(last.getFirst()).isEqualTo("event: bye");
        assertThat(last.getLast()).isEqualTo("data: {\"sentence\":\"the server is stopping\"}");
      }
    } finally {
      server.close();
    }
    assertThat(isLooking()).isFalse();
  }
}
