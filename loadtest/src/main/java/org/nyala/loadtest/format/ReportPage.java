package org.nyala.loadtest.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The page that shows results: a static page with a chart library and a script in it, and the
 * results as JSON, from which the script makes tables and charts. It loads nothing, and its policy
 * allows this one script only. Stateless.
 */
public final class ReportPage {
  private static final String LIBRARY = "/META-INF/resources/webjars/uplot/";
  private static final String VERSION = "/META-INF/maven/org.webjars.npm/uplot/pom.properties";
  private static final Pattern PLACE = Pattern.compile("@([a-z]+)@");

  private static final String TITLE = "Nyala: measured";
  private static final String WITHOUT_SCRIPT =
      "<noscript><p>Charts and tables need JavaScript, which reads the results in this file and"
          + " nothing else. The same results are in the JSON file beside it.</p></noscript>";

  private ReportPage() {}

  /** The page of results that have a {@code kind} which the script knows. */
  public static String of(JsonObject results) throws IOException {
    return of(results, TITLE, WITHOUT_SCRIPT);
  }

  /** The page of a text, to which the script adds charts of the results. */
  public static String of(JsonObject results, PageText text) throws IOException {
    return of(results, PageText.escaped(text.title()), text.html());
  }

  private static String of(JsonObject results, String title, String body) throws IOException {
    Properties artifact = new Properties();
    artifact.load(new StringReader(resource(VERSION)));
    String library = LIBRARY + artifact.getProperty("version");
    String script =
        String.format(
            Locale.ROOT,
            "/*\n%s*/\n%s\n%s",
            resource(library + "/LICENSE"),
            resource(library + "/dist/uPlot.iife.min.js"),
            resource("report.js"));
    Matcher template = PLACE.matcher(resource("report.html"));
    Map<String, String> parts =
        Map.of(
            "title",
            title,
            "body",
            body,
            "style",
            resource(library + "/dist/uPlot.min.css") + "\n" + resource("report.css"),
            "script",
            script,
            "hash",
            "sha256-" + hash("//<![CDATA[\n" + script + "\n//]]>"),
            "results",
            escaped(results.toString()));
    return template.replaceAll(
        place -> Matcher.quoteReplacement(Objects.requireNonNull(parts.get(place.group(1)))));
  }

  /**
   * JSON that cannot end the element that it is in, as HTML or as XML: names and messages in it are
   * those of servers.
   */
  private static String escaped(String json) {
    return json.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026");
  }

  private static String hash(String script) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(UTF_8));
      return Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = ReportPage.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), UTF_8);
    }
  }
}
