package org.nyala.loadtest.server;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.options.PasswordFile;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadSettings;
import picocli.CommandLine.Option;

/** The options of a server's own figures. Set by picocli, then only read. */
public final class ServerMetricsOptions {
  private static final int MOST_SOURCES = 16;

  @Option(
      names = "--server-metrics",
      paramLabel = "SOURCE",
      description =
          "show the server's own figures beside those of the test: monitor (cn=Monitor of the"
              + " server), monitor:DN, an http:// URL of Prometheus, service:jmx:...; may be"
              + " repeated")
  private List<String> sources = List.of();

  @Option(
      names = "--monitor-dn",
      paramLabel = "DN",
      description =
          "who reads --server-metrics, by a simple bind or over JMX, instead of --bind-dn")
  private String dn = "";

  @Option(
      names = "--monitor-password-file",
      paramLabel = "FILE",
      description = "the first line of this file is its password")
  private @Nullable Path passwordFile;

  /** Returns whether any figures are wanted. */
  public boolean isWanted() {
    return !sources.isEmpty();
  }

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if a source is none
   */
  public void check() {
    LoadSettings.require(
        sources.size() <= MOST_SOURCES,
        "--server-metrics",
        "given at most " + MOST_SOURCES + " times",
        sources.size());
    LoadSettings.require(
        dn.isEmpty() == (passwordFile == null),
        "--monitor-dn",
        "together with --monitor-password-file",
        dn.isEmpty() ? "the file alone" : "alone");
    for (String source : sources) {
      boolean isMonitor =
          source.equals(MonitorSource.NAME) || source.startsWith(MonitorSource.NAME + ":");
      if (source.startsWith(JmxSource.SCHEME)) {
        new JmxSource(source, Account.ANONYMOUS).close();
      } else if (!isMonitor) {
        LoadSettings.require(
            page(source).isPresent(),
            "--server-metrics",
            "monitor, monitor:DN, http://host:port/path, https://... or service:jmx:...",
            source);
      }
    }
  }

  private static Optional<URI> page(String text) {
    try {
      URI uri = new URI(text);
      String scheme = String.valueOf(uri.getScheme());
      boolean isPage = (scheme.equals("http") || scheme.equals("https")) && uri.getHost() != null;
      return isPage ? Optional.of(uri) : Optional.empty();
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  /**
   * Opens the sources of a test.
   *
   * @param account who reads them; anonymous for the identity of the load
   * @param says takes a sentence about a source that does not answer, on another thread
   */
  public ServerMetrics open(LoadSettings load, Account account, Consumer<String> says)
      throws InterruptedException {
    LoadSettings monitored = account.isAnonymous() ? load : load.as(account);
    List<MetricSource> open = new ArrayList<>();
    for (String source : sources) {
      Optional<URI> page = page(source);
      if (source.startsWith(JmxSource.SCHEME)) {
        open.add(new JmxSource(source, account));
      } else if (page.isPresent()) {
        open.add(new PrometheusSource(page.get()));
      } else {
        int colon = source.indexOf(':');
        open.add(new MonitorSource(monitored, colon < 0 ? "" : source.substring(colon + 1)));
      }
    }
    return new ServerMetrics(open, says);
  }

  /** Reads the identity that reads the figures; anonymous if none is given. */
  public Account account() throws IOException {
    return passwordFile == null
        ? Account.ANONYMOUS
        : new Account(dn, PasswordFile.read(passwordFile));
  }
}
