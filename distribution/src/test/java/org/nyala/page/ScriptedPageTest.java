package org.nyala.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/**
 * Looks in a real browser at the page of a server that sends what a test has written: every part is
 * shown, texts are never markup, and everybody can read and reach it.
 */
class ScriptedPageTest {
  private static final int WIDE = 1400;
  private static final int NARROW = 390;

  /** Markup, an entity, a line break, and a sign that turns the direction of what follows. */
  private static final String HOSTILE =
      "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
          + "&lt;'\n\u202e";

  private static final String SHOWN_HOSTILE =
      HOSTILE.replace('\n', '\ufffd').replace('\u202e', '\ufffd');

  /** Members whose texts decide on what is shown, or are shown as a time. */
  private static final Set<String> NOT_SHOWN = Set.of("local", "last");

  @TempDir static Path folder;

  private static PageBrowser browser;

  private ScriptedServer server;

  @BeforeAll
  static void start() {
    browser = PageBrowser.start(folder);
  }

  @AfterAll
  static void stop() {
    browser.close();
  }

  @AfterEach
  void end() {
    server.close();
  }

  private void open(JsonObject sample, int width, boolean isDark) throws IOException {
    server = new ScriptedServer(sample, true);
    browser.open(server.url(), width, 1000, isDark);
    browser.awaitLive();
  }

  private static void assertCalm() {
    assertThat(browser.complaints()).isEmpty();
    assertThat(browser.run("return document.title")).asString().isEqualTo("(2) Nyala, 127.0.0.1");
  }

  @Test
  void shouldShowEveryPart() throws Exception {
    JsonObject sample = ScriptedServer.sample();
    open(sample, WIDE, false);
    String all = (String) browser.run("return document.body.textContent");
    assertThat(texts(sample)).allSatisfy(text -> assertThat(all).contains(text));
    assertThat(browser.facts("now-list"))
        .containsEntry("Operations", "1,834/s")
        .containsEntry("Duration, p99", "2.30 ms")
        .containsEntry("Connections", "214")
        .containsEntry("Permits and queue", "3")
        .containsEntry("Wait for a permit, p99", "150 µs")
        .containsEntry("Strategy", "adaptive")
        .containsEntry("Commits", "10.4/s")
        .containsEntry("Changes that wait", "4")
        .containsEntry("Store", "70.0 MiB")
        .containsEntry("Free disk", "410 MiB")
        .containsEntry("Oldest read", "5 min 12 s")
        .containsEntry("Certificate", "9 days")
        .containsEntry("Locked accounts", "2")
        .containsEntry("Followers", "1")
        .containsEntry("Copies", "1 ready of 2")
        .containsEntry("Cluster", "leader")
        .containsEntry("Processor", "43.1 %");
    assertThat(browser.row("kinds", "search"))
        .containsExactly("search", "1,600", "120 µs", "900 µs", "4.00 ms", "12,345,678");
    assertThat(browser.row("kinds", "delete")).containsExactly("delete", "0", "–", "–", "–", "7");
    assertThat(browser.row("phases", "hash"))
        .containsExactly("hash", "211", "700 µs", "3.90 ms", "hashing a password");
    assertThat(browser.row("busiest", "12"))
        .containsExactly(
            "12",
            "anonymous",
            "IP=10.1.0.21:51234",
            "31.5",
            "420",
            "0",
            "2",
            "1 min",
            "1 s",
            "not read from, does not read",
            "Disconnect");
    assertThat(browser.row("readers", "9990")).containsExactly("9990", "java", "1", "1,200", "End");
    assertThat(browser.row("readers", "4711")).containsExactly("4711", "this server", "1", "0", "");
    assertThat(browser.row("copied", "dc=partner,dc=com"))
        .containsExactly(
            "dc=partner,dc=com",
            "ldaps://ldap.partner.com",
            "waiting",
            "1 h 30 min",
            "no",
            "120",
            "connection refused");
    assertThat(browser.rows("cluster"))
        .extracting(List::getLast)
        .containsExactly("the leader knows", "3", "0");
    assertThat(browser.rows("jobs-list").getFirst()).contains("3", "running, 40 %");
    assertThat(
            browser.texts(
                "return [...document.querySelectorAll('#findings-list .weight')].map(each =>"
                    + " each.textContent)"))
        .containsExactly("fault", "warning", "advice", "unknown");
    assertThat(browser.text("spoken-alarms")).startsWith("2 alarms. fault: the disk of the data");
    assertCharts();
    assertCalm();
  }

  private static void assertCharts() {
    assertThat(browser.elements("#charts figure canvas")).hasSize(7);
    assertThat(
            browser.texts(
                "return [...document.querySelectorAll('#charts figcaption')].map(each =>"
                    + " each.textContent)"))
        .containsExactly(
            "Operations a second by kind",
            "Duration of operations",
            "Open connections",
            "Permits in use, and changes that wait",
            "Waits, p99",
            "Commits a second, and their size",
            "How far copies are behind");
    assertThat(
            browser.texts(
                "return [...document.querySelectorAll('#charts .legend li')].map(each =>"
                    + " each.textContent)"))
        .hasSize(21)
        .allSatisfy(text -> assertThat(text).matches(".+ \\S.* now, \\S.* at most"));
  }

  /** The texts of a sample that a reader is to see. */
  private static List<String> texts(JsonElement element) {
    List<String> found = new ArrayList<>();
    if (element instanceof JsonObject object) {
      object
          .asMap()
          .forEach(
              (name, value) -> {
                boolean isState =
                    name.equals("state")
                        && value.isJsonPrimitive()
                        && value.getAsString().equals("serving");
                if (!isState && !NOT_SHOWN.contains(name)) {
                  found.addAll(texts(value));
                }
              });
    } else if (element instanceof JsonArray array) {
      array.forEach(each -> found.addAll(texts(each)));
    } else if (element instanceof JsonPrimitive value
        && value.isString()
        && !value.getAsString().equals("ok")) {
      found.add(value.getAsString());
    }
    return found;
  }

  /** Returns a copy with markup before each text. */
  private static JsonElement hostile(JsonElement element) {
    if (element instanceof JsonObject object) {
      JsonObject copy = new JsonObject();
      object.asMap().forEach((name, value) -> copy.add(name, hostile(value)));
      return copy;
    }
    if (element instanceof JsonArray array) {
      JsonArray copy = new JsonArray();
      array.forEach(each -> copy.add(hostile(each)));
      return copy;
    }
    return element instanceof JsonPrimitive value && value.isString()
        ? new JsonPrimitive(HOSTILE + value.getAsString())
        : element;
  }

  @Test
  void shouldShowMarkupAsText() throws Exception {
    JsonObject sample = (JsonObject) hostile(ScriptedServer.sample());
    sample.getAsJsonArray("findings").get(0).getAsJsonObject().addProperty("weight", "fault");
    sample.getAsJsonArray("findings").get(1).getAsJsonObject().addProperty("weight", "warning");
    sample.addProperty("state", "serving");
    open(sample, WIDE, false);
    String all = (String) browser.run("return document.body.textContent");
    Set<String> expected = new LinkedHashSet<>();
    for (String text : texts(ScriptedServer.sample())) {
      if (!text.equals("fault") && !text.equals("warning")) {
        expected.add(SHOWN_HOSTILE + text);
      }
    }
    assertThat(expected).allSatisfy(text -> assertThat(all).contains(text));
    // Confirmations repeat names.
    browser.press("Log in");
    browser.type("login-name", "a");
    browser.type("login-password", "b");
    browser.key(Keys.ENTER);
    eventually("logged in", () -> browser.isShown("logout"));
    browser.press("Disconnect connection 7");
    browser.awaitText("confirm-text", text -> text.contains(SHOWN_HOSTILE + "uid=mailer"));
    browser.press("Leave it");
    assertThat(browser.elements("img, body script, iframe, object, embed, [onerror], [style*=url]"))
        .isEmpty();
    assertCalm();
  }

  @Test
  void shouldBeReadable() throws Exception {
    open(ScriptedServer.sample(), WIDE, false);
    for (boolean isDark : List.of(false, true)) {
      for (int width : List.of(WIDE, 768, NARROW, 320)) {
        String name = width + (isDark ? "-dark" : "-light");
        browser.show(width, 1000, isDark);
        eventually(
            "as wide as the window: " + name,
            () -> (boolean) browser.run(ScriptedServer.resource("/org/nyala/page/fits.js")));
        assertThat(browser.texts(ScriptedServer.resource("/org/nyala/page/accessible.js")))
            .as(name)
            .isEmpty();
        if (width == WIDE || width == NARROW) {
          browser.show(width, browser.height(), isDark);
          browser.picture(name);
        }
      }
    }
    browser.show(WIDE, 1000, false);
    assertThat(browser.elements("button, a, input, select, summary"))
        .filteredOn(WebElement::isDisplayed)
        .hasSizeGreaterThan(30)
        .allSatisfy(each -> assertThat(each.getAccessibleName()).isNotBlank());
    dialogs();
    assertCalm();
  }

  private void dialogs() throws IOException {
    browser.press("Log in");
    eventually("the dialog is open", () -> browser.isShown("login-name"));
    assertThat(browser.texts(ScriptedServer.resource("/org/nyala/page/accessible.js"))).isEmpty();
    browser.picture("login");
    browser.type("login-name", "a");
    browser.type("login-password", "b");
    browser.key(Keys.ENTER);
    eventually("logged in", () -> browser.isShown("logout"));
    browser.press("End process 9990");
    eventually("the dialog is open", () -> browser.isShown("confirm-submit"));
    assertThat(browser.texts(ScriptedServer.resource("/org/nyala/page/accessible.js"))).isEmpty();
    browser.picture("confirm");
    browser.key(Keys.ESCAPE);
    eventually("the dialog is closed", () -> !browser.isShown("confirm-submit"));
    assertThat(browser.focused().getAccessibleName()).isEqualTo("End process 9990");
    browser.press("Log out");
  }

  @Test
  void shouldBeReachedByKeysAlone() throws Exception {
    open(ScriptedServer.sample(), WIDE, false);
    List<String> controls = browser.texts(ScriptedServer.resource("/org/nyala/page/controls.js"));
    Set<String> reached = new LinkedHashSet<>();
    browser.run("document.body.focus(); window.scrollTo(0, 0)");
    for (int i = 0; i < 2 * controls.size() && !reached.containsAll(controls); i++) {
      browser.key(Keys.TAB);
      reached.add(
          (String)
              browser.run(
                  "const at = document.activeElement;"
                      + " return at.dataset.number === undefined ? 'body' : at.dataset.number"
                      + " + (at.matches(':focus-visible') ? '' : ' unseen')"));
    }
    assertThat(reached).containsAll(controls);
  }

  @Test
  void shouldKeepTheColoursThatWereChosen() throws Exception {
    open(ScriptedServer.sample(), WIDE, true);
    String background = "return getComputedStyle(document.body).backgroundColor";
    assertThat(browser.run(background)).isEqualTo("rgb(22, 25, 29)");
    browser.press("Colours: as the system");
    assertThat(browser.text("theme")).isEqualTo("Colours: light");
    assertThat(browser.run(background)).isEqualTo("rgb(255, 255, 255)");
    browser.open(server.url(), WIDE, 1000, true);
    browser.awaitLive();
    assertThat(browser.run(background)).isEqualTo("rgb(255, 255, 255)");
    browser.press("Colours: light");
    browser.press("Colours: dark");
    assertThat(browser.run("return JSON.stringify(localStorage)"))
        .isEqualTo("{\"nyala.colours\":\"system\"}");
    assertCalm();
  }

  @Test
  void shouldAskWhenThereIsNoRoomForEvents() throws Exception {
    server = new ScriptedServer(ScriptedServer.sample(), false);
    browser.open(server.url(), WIDE, 1000, false);
    browser.awaitText(
        "banner-text", text -> text.startsWith("The server sends this page no events"));
    browser.awaitText("state-text", text -> text.startsWith("Every 5 seconds, as of "));
    String first = browser.text("state-text");
    browser.awaitText("state-text", text -> !text.equals(first) && text.startsWith("Every"));
    assertThat(browser.facts("now-list")).containsEntry("Connections", "214");
  }

  @Test
  void shouldSayHowToAllowActions() throws Exception {
    JsonObject sample = ScriptedServer.sample();
    JsonObject account = new JsonObject();
    account.addProperty("actions", false);
    account.addProperty("sentence", "set management.httpAdmin to allow actions");
    sample.add("account", account);
    open(sample, WIDE, false);
    assertThat(browser.text("readonly-note"))
        .isEqualTo("set management.httpAdmin to allow actions");
    assertThat(browser.elements("button"))
        .filteredOn(WebElement::isDisplayed)
        .extracting(WebElement::getText)
        .containsExactly("Colours: as the system");
    assertThat(Map.copyOf(browser.facts("now-list"))).isNotEmpty();
  }
}
