package org.nyala.loadtest.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * The figures of a page in the text format of Prometheus. Counters, and counts and sums of
 * histograms and summaries, are counters; buckets are left out.
 *
 * <p>Confined to the thread that samples.
 */
final class PrometheusSource implements MetricSource {
  /** The size beyond which a page is cut. */
  private static final int MOST_BYTES = 8 << 20;

  private static final int OK = 200;
  private static final Pattern TYPE = Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) ([a-z]+)");
  private static final Pattern SAMPLE =
      Pattern.compile(
          "([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{(?:[^\"}]|\"(?:[^\"\\\\]|\\\\.)*+\")*+})? +([^ ]+)(?: .*)?");

  private final URI url;

  PrometheusSource(URI url) {
    this.url = url;
  }

  @Override
  public String name() {
    return url.toString();
  }

  @Override
  public Map<Metric, Double> read() throws LoadTestException {
    try {
      HttpURLConnection connection = (HttpURLConnection) url.toURL().openConnection();
      int patienceMillis = (int) (PATIENCE_SECONDS * 1e3);
      connection.setConnectTimeout(patienceMillis);
      connection.setReadTimeout(patienceMillis);
      connection.setInstanceFollowRedirects(false);
      int status = connection.getResponseCode();
      if (status != OK) {
        throw new LoadTestException("it answered with the HTTP status " + status);
      }
      try (InputStream in = connection.getInputStream()) {
        Map<Metric, Double> figures =
            parse(new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8));
        if (figures.isEmpty()) {
          throw new LoadTestException("its page has no figures in the format of Prometheus");
        }
        return figures;
      }
    } catch (IOException e) {
      throw new LoadTestException(
          "it does not answer (" + (e.getMessage() == null ? "no reason" : e.getMessage()) + ")");
    }
  }

  /** The figures of a page; what is no sample is skipped. */
  static Map<Metric, Double> parse(String page) {
    Map<Metric, Double> figures = new TreeMap<>();
    Set<String> counters = new HashSet<>();
    for (String line : page.split("\n", -1)) {
      Matcher type = TYPE.matcher(line);
      if (type.lookingAt()) {
        String name = type.group(1);
        switch (type.group(2)) {
          case "counter" -> counters.add(name);
          case "histogram", "summary" -> {
            counters.add(name + "_sum");
            counters.add(name + "_count");
          }
          default -> {}
        }
        continue;
      }
      Matcher sample = SAMPLE.matcher(line);
      if (sample.matches() && !sample.group(1).endsWith("_bucket")) {
        double value = value(sample.group(3));
        if (Double.isFinite(value) && figures.size() < MOST_METRICS) {
          String labels = sample.group(2) == null ? "" : sample.group(2);
          boolean isCounter = counters.contains(sample.group(1));
          figures.put(new Metric(sample.group(1) + labels, isCounter), value);
        }
      }
    }
    return figures;
  }

  private static double value(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  @Override
  public void close() {}
}
