package org.nyala.management.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.nyala.management.page.LivePage;

/**
 * The files of the live page: a fixed list, read from the class path once.
 *
 * <p>Immutable.
 */
final class PageFiles {
  private static final String ROOT = "/";
  private static final String LIBRARY = "/META-INF/resources/webjars/uplot/";
  private static final String VERSION = "/META-INF/maven/org.webjars.npm/uplot/pom.properties";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";
  private static final List<String> SCRIPTS =
      List.of("app", "text", "parts", "show", "charts", "stream", "actions");

  private final Map<String, HttpAnswer> files;

  private PageFiles(Map<String, HttpAnswer> files) {
    this.files = Map.copyOf(files);
  }

  /** Reads all files. */
  static PageFiles read() {
    Map<String, HttpAnswer> files = new LinkedHashMap<>();
    own("index.html", ROOT, "text/html; charset=utf-8", files);
    own("app.css", "/page/app.css", STYLE, files);
    for (String each : SCRIPTS) {
      own(each + ".js", "/page/" + each + ".js", SCRIPT, files);
    }
    Properties artifact = new Properties();
    try {
      artifact.load(new StringReader(text(VERSION)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String library = LIBRARY + artifact.getProperty("version");
    String licence = "/*\n" + text(library + "/LICENSE") + "*/\n";
    files.put("/page/uplot.js", file(SCRIPT, licence + text(library + "/dist/uPlot.iife.min.js")));
    files.put("/page/uplot.css", file(STYLE, text(library + "/dist/uPlot.min.css")));
    return new PageFiles(files);
  }

  private static HttpAnswer file(String type, String content) {
    return new HttpAnswer(HttpAnswer.OK, Map.of("Content-Type", type), content);
  }

  private static void own(String name, String path, String type, Map<String, HttpAnswer> files) {
    String resource = ROOT + LivePage.class.getPackageName().replace('.', '/') + ROOT + name;
    files.put(path, file(type, text(resource)));
  }

  private static String text(String name) {
    try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a file by its path; null if there is none. */
  @Nullable HttpAnswer get(String path) {
    return files.get(path);
  }
}
