package org.nyala.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.util.json.JSONArray;
import com.unboundid.util.json.JSONException;
import com.unboundid.util.json.JSONField;
import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONString;
import com.unboundid.util.json.JSONValue;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Chromium without a window, driven by Debian's chromedriver with the protocol WebDriver of the
 * W3C.
 *
 * <p>Confined to one thread.
 */
final class Browser implements AutoCloseable {
  private static final String CAPABILITIES =
      """
      {"capabilities": {"alwaysMatch": {
        "timeouts": {"implicit": 500},
        "goog:chromeOptions": {
          "binary": "/usr/bin/chromium",
          "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-background-networking", "--window-size=1400,2000"]}}}}
      """;

  private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");

  /** The key of an element's identifier, by the protocol. */
  private static final String ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

  /** The errors of a page that is still changing. */
  private static final Set<String> NOT_YET =
      Set.of(
          "no such element",
          "stale element reference",
          "element click intercepted",
          "element not interactable",
          "invalid element state");

  private static final String VISIBLE_TEXT = "return document.body.innerText";

  /** The ways in which PHP, and the handler of phpLDAPadmin, show a mistake in a page. */
  private static final Pattern MISTAKE =
      Pattern.compile(
          "on line \\d+|\\bE_(ALL|ERROR|NOTICE|PARSE|STRICT|WARNING)\\b|non-fatal \\w+ bug|"
              + "Unrecognized error number|Stack trace");

  private final HttpClient client = HttpClient.newHttpClient();
  private final ListeningProgram driver;
  private final String session;

  private Browser(ListeningProgram driver) throws IOException, InterruptedException {
    this.driver = driver;
    String root = "http://127.0.0.1:" + driver.port() + "/session";
    JSONValue made = answer(request(root, CAPABILITIES));
    this.session = root + '/' + ((JSONObject) made).getFieldAsString("sessionId");
  }

  /**
   * Starts a browser that has never been used.
   *
   * @param folder for its files
   */
  static Browser start(Path folder) throws IOException, InterruptedException {
    ListeningProgram driver =
        ListeningProgram.start(
            folder,
            Map.of("HOME", folder.toString(), "TMPDIR", folder.toString(), "PATH", "/usr/bin:/bin"),
            List.of("/usr/bin/chromedriver", "--port=0"),
            STARTED);
    try {
      return new Browser(driver);
    } catch (IOException | InterruptedException | RuntimeException e) {
      driver.close();
      throw e;
    }
  }

  /** Opens a page, and waits until it is loaded. */
  void open(String url) throws IOException, InterruptedException {
    answer(request(session + "/url", object("url", url)));
  }

  /** Clicks on an element as soon as there is one that can be clicked. */
  void click(String xpath) throws Exception {
    act(xpath, "click", "{}");
  }

  /** Replaces the text of a field as soon as there is one. */
  void type(String xpath, String text) throws Exception {
    act(xpath, "clear", "{}");
    act(xpath, "value", object("text", text));
  }

  private void act(String xpath, String what, String body) throws Exception {
    eventually(
        what + " " + xpath,
        () -> {
          String found = element(xpath);
          String url = session + "/element/" + found + '/' + what;
          return found != null && done(request(url, body)) != null;
        });
  }

  private @Nullable String element(String xpath) throws IOException, InterruptedException {
    JSONObject how = new JSONObject(new JSONField("using", "xpath"), new JSONField("value", xpath));
    JSONValue found = done(request(session + "/element", how.toString()));
    return found == null ? null : ((JSONObject) found).getFieldAsString(ELEMENT);
  }

  /**
   * Waits until a page shows all of these texts, in any order, and no mistake of a program.
   *
   * @return all that can be seen
   */
  String awaitText(String... parts) throws Exception {
    String[] seen = {""};
    try {
      eventually(
          "all is shown",
          () -> {
            seen[0] = text();
            return List.of(parts).stream().allMatch(seen[0]::contains);
          });
    } catch (AssertionError e) {
      assertThat(seen[0]).contains(parts);
      throw e;
    }
    assertThat(seen[0]).doesNotContainPattern(MISTAKE);
    return seen[0];
  }

  private String text() throws IOException, InterruptedException {
    JSONObject script =
        new JSONObject(
            new JSONField("script", VISIBLE_TEXT), new JSONField("args", new JSONArray()));
    JSONValue shown = done(request(session + "/execute/sync", script.toString()));
    return shown instanceof JSONString text ? text.stringValue() : "";
  }

  private static String object(String key, String value) {
    return new JSONObject(new JSONField(key, value)).toString();
  }

  private static HttpRequest request(String url, String body) {
    return HttpRequest.newBuilder(URI.create(url))
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  /** Returns the answer; null if the page is still changing. */
  private @Nullable JSONValue done(HttpRequest request) throws IOException, InterruptedException {
    JSONValue value = send(request);
    if (value instanceof JSONObject object && NOT_YET.contains(error(object))) {
      return null;
    }
    return sound(value);
  }

  private JSONValue answer(HttpRequest request) throws IOException, InterruptedException {
    return sound(send(request));
  }

  private JSONValue send(HttpRequest request) throws IOException, InterruptedException {
    String body = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    try {
      return new JSONObject(body).getField("value");
    } catch (JSONException e) {
      throw new IOException(body, e);
    }
  }

  private static JSONValue sound(JSONValue value) {
    if (value instanceof JSONObject object) {
      assertThat(error(object)).as(value.toString()).isEmpty();
    }
    return value;
  }

  private static String error(JSONObject value) {
    String error = value.getFieldAsString("error");
    return error == null ? "" : error;
  }

  /** Ends the browser, which ends with its session, and then the driver. */
  @Override
  public void close() {
    HttpRequest end = HttpRequest.newBuilder(URI.create(session)).DELETE().build();
    client.sendAsync(end, HttpResponse.BodyHandlers.discarding()).join();
    client.close();
    driver.close();
  }
}
