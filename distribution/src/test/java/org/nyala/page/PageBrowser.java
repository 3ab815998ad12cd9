package org.nyala.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * Chromium without a window, which shows the live page, and tells what the page has asked for and
 * complained of.
 *
 * <p>Confined to one thread.
 */
final class PageBrowser implements AutoCloseable {
  private static final Path PICTURES = Path.of("target", "page");

  private final ChromeDriver driver;
  private final String first;
  private final List<String> requested = new ArrayList<>();

  private PageBrowser(ChromeDriver driver) {
    this.driver = driver;
    this.first = driver.getWindowHandle();
  }

  /**
   * Starts a browser that has never been used.
   *
   * @param folder for its files
   */
  static PageBrowser start(Path folder) {
    return start(folder, new String[0]);
  }

  /**
   * Starts such a browser, which accepts one certificate, whoever has made it, and no other that is
   * not known.
   */
  static PageBrowser trusting(Path folder, X509Certificate certificate) throws Exception {
    byte[] key =
        MessageDigest.getInstance("SHA-256").digest(certificate.getPublicKey().getEncoded());
    return start(
        folder, "--ignore-certificate-errors-spki-list=" + Base64.getEncoder().encodeToString(key));
  }

  private static PageBrowser start(Path folder, String... more) {
    for (String program : List.of("/usr/bin/chromium", "/usr/bin/chromedriver")) {
      assertThat(Path.of(program)).as("needed for this test").isExecutable();
    }
    ChromeOptions options = new ChromeOptions();
    options.setBinary("/usr/bin/chromium");
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--no-first-run",
        "--no-proxy-server",
        "--user-data-dir=" + folder.resolve("browser"));
    options.addArguments(more);
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(new File("/usr/bin/chromedriver"))
            .usingAnyFreePort()
            .withEnvironment(
                Map.of(
                    "HOME",
                    folder.toString(),
                    "TMPDIR",
                    folder.toString(),
                    "PATH",
                    "/usr/bin:/bin"))
            .withLogFile(folder.resolve("chromedriver.log").toFile())
            .build();
    return new PageBrowser(new ChromeDriver(service, options));
  }

  /**
   * Opens a page in a window of this size, in light or dark colours, as if it had not been seen.
   */
  void open(String url, int width, int height, boolean isDark) {
    driver.get("about:blank");
    complaints();
    requests();
    requested.clear();
    show(width, height, isDark);
    driver.get(url);
  }

  void show(int width, int height, boolean isDark) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 700));
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", isDark ? "dark" : "light"))));
  }

  /** Opens another window before the page, which cannot be seen then. */
  void cover() {
    driver.switchTo().newWindow(WindowType.TAB);
  }

  /** Closes the window before the page. */
  void uncover() {
    driver.close();
    driver.switchTo().window(first);
  }

  Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  @SuppressWarnings("unchecked")
  List<String> texts(String script, Object... arguments) {
    return (List<String>) run(script, arguments);
  }

  /** Returns the text of an element, seen or not. */
  String text(String id) {
    return (String) run("return document.getElementById(arguments[0]).textContent", id);
  }

  boolean isShown(String id) {
    return driver.findElement(By.id(id)).isDisplayed();
  }

  void awaitText(String id, Predicate<String> expected) {
    String[] seen = {""};
    try {
      eventually(
          id,
          () -> {
            seen[0] = text(id);
            return expected.test(seen[0]);
          });
    } catch (AssertionError e) {
      throw new AssertionError(id + " shows: " + seen[0], e);
    }
  }

  /** Waits until the page shows what the server sends. */
  void awaitLive() {
    awaitText("state-text", text -> text.startsWith("Live, as of "));
  }

  /** Returns the cells of a table's rows. */
  @SuppressWarnings("unchecked")
  List<List<String>> rows(String place) {
    return (List<List<String>>)
        run(
            "return [...document.querySelectorAll('#' + arguments[0] + ' tbody tr')]"
                + ".map(row => [...row.cells].map(cell => cell.textContent))",
            place);
  }

  /** Returns the row of a table whose first cell is this one. */
  List<String> row(String place, String first) {
    return rows(place).stream()
        .filter(row -> row.getFirst().equals(first))
        .findFirst()
        .orElseThrow(() -> new AssertionError(first + " is not in " + rows(place)));
  }

  /** Returns the texts of a list of facts or tiles, by their names. */
  Map<String, String> facts(String place) {
    List<String> all =
        texts(
            "return [...document.querySelectorAll('#' + arguments[0] + ' > div')]"
                + ".flatMap(pair => [pair.children[0].textContent, pair.children[1].textContent])",
            place);
    Map<String, String> facts = new LinkedHashMap<>();
    for (int i = 0; i < all.size(); i += 2) {
      facts.put(all.get(i), all.get(i + 1));
    }
    return facts;
  }

  WebElement element(String css) {
    return driver.findElement(By.cssSelector(css));
  }

  List<WebElement> elements(String css) {
    return driver.findElements(By.cssSelector(css));
  }

  /** Presses a button by its name, as a screen reader has it. */
  void press(String name) {
    eventually(
        "there is a button " + name,
        () ->
            (boolean)
                run(
                    "const found = [...document.querySelectorAll('button')].find(each =>"
                        + " each.checkVisibility() && !each.disabled &&"
                        + " (each.getAttribute('aria-label') || each.textContent) ==="
                        + " arguments[0]); if (found) { found.focus(); found.click(); }"
                        + " return found !== undefined;",
                    name));
  }

  void type(String id, String text) {
    WebElement field = driver.findElement(By.id(id));
    field.clear();
    field.sendKeys(text);
  }

  /** Presses a key where the focus is. */
  void key(Keys key) {
    new Actions(driver).sendKeys(key).perform();
  }

  WebElement focused() {
    return driver.switchTo().activeElement();
  }

  /** Returns the errors and warnings in the browser's console since the last time. */
  List<String> complaints() {
    List<String> found = new ArrayList<>();
    for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
      if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
        found.add(entry.getMessage());
      }
    }
    return found;
  }

  /** Returns the addresses of all requests since the page was opened. */
  List<String> requests() {
    for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
      JsonObject message =
          JsonParser.parseString(entry.getMessage()).getAsJsonObject().getAsJsonObject("message");
      String method = message.get("method").getAsString();
      if (method.equals("Network.requestWillBeSent")) {
        requested.add(
            message.getAsJsonObject("params").getAsJsonObject("request").get("url").getAsString());
      } else if (method.equals("Network.webSocketCreated")) {
        requested.add(message.getAsJsonObject("params").get("url").getAsString());
      }
    }
    return List.copyOf(requested);
  }

  /** Writes a picture of the whole page, for people to look at. */
  void picture(String name) throws IOException {
    Files.createDirectories(PICTURES);
    Files.write(PICTURES.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
  }

  /** The height of the whole page. */
  int height() {
    return ((Long) run("return document.documentElement.scrollHeight")).intValue();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
