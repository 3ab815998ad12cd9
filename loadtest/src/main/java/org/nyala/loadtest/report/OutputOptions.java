package org.nyala.loadtest.report;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.result.SecondsTable;
import org.nyala.loadtest.server.ServerMetricsOptions;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.LoadSettings;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the files that a test writes. Set by picocli, then only read. */
public final class OutputOptions {
  private static final int MOST_PORT = 65_535;

  @Option(
      names = "--report",
      paramLabel = "DIR",
      description =
          "write report.html, results.json, intervals.csv and histogram.hlog there; the folder is"
              + " made, files in it are overwritten")
  private @Nullable Path report;

  @Option(names = "--json", paramLabel = "FILE", description = "write the text of results.json")
  private @Nullable Path json;

  @Option(
      names = "--histogram",
      paramLabel = "UNIT",
      description =
          "also print how many operations took how many whole seconds or millis, as the report of"
              + " 1996 did: ${COMPLETION-CANDIDATES}")
  private SecondsTable.@Nullable Unit histogram;

  @Option(
      names = "--fail-if",
      paramLabel = "CONDITION",
      description = "end with exit code 1 if it holds: p99>5ms, rate<1000; may be repeated")
  private List<String> conditions = List.of();

  @Option(
      names = "--junit",
      paramLabel = "FILE",
      description = "write a report of JUnit (XML): each job, and each condition of --fail-if")
  private @Nullable Path junit;

  @Option(
      names = "--metrics-port",
      paramLabel = "PORT",
      description = "show the running test to Prometheus at http://127.0.0.1:PORT/metrics")
  private @Nullable Integer metricsPort;

  @Option(
      names = "--metrics-address",
      paramLabel = "ADDRESS",
      description =
          "where --metrics-port listens; anybody who reaches another address than 127.0.0.1 can"
              + " read the figures")
  private String metricsAddress = "127.0.0.1";

  @Mixin private ServerMetricsOptions serverMetrics = new ServerMetricsOptions();

  @Option(names = "--quiet", description = "show no progress")
  private boolean quiet;

  @Option(
      names = "--allow-disturbed",
      description =
          "end with exit code 0 although the load tester itself was disturbed; reports still say"
              + " so")
  private boolean allowsDisturbed;

  /**
   * Reads the conditions under which a test fails.
   *
   * @throws IllegalArgumentException if a text is none
   */
  List<Condition> conditions() {
    return conditions.stream().map(Condition::parse).toList();
  }

  /**
   * Checks further conditions.
   *
   * @throws IllegalArgumentException if a text is none
   */
  public static void checkConditions(List<String> texts) {
    texts.forEach(Condition::parse);
  }

  /** Returns whether there are conditions, a report of JUnit, or figures of the server. */
  public boolean isOfOneTest() {
    return !conditions().isEmpty() || junit != null || serverMetrics.isWanted();
  }

  ServerMetricsOptions serverMetrics() {
    return serverMetrics;
  }

  Optional<Path> junit() {
    return Optional.ofNullable(junit);
  }

  /** The exit code of a test. */
  public int exitCode(boolean isRight, boolean isDisturbed) {
    if (!isRight) {
      return ExitCode.FAILED;
    }
    return isDisturbed && !allowsDisturbed ? ExitCode.DISTURBED : ExitCode.OK;
  }

  Optional<Path> report() {
    return Optional.ofNullable(report);
  }

  Optional<Path> json() {
    return Optional.ofNullable(json);
  }

  public Optional<SecondsTable.Unit> histogram() {
    return Optional.ofNullable(histogram);
  }

  /** Returns whether the running test is shown to Prometheus. */
  public boolean isShown() {
    return metricsPort != null;
  }

  /**
   * Returns where the running test is shown; empty if it is not.
   *
   * @throws IllegalArgumentException if there is no such address or port
   */
  Optional<InetSocketAddress> metrics() {
    Integer port = metricsPort;
    if (port == null) {
      return Optional.empty();
    }
    LoadSettings.require(
        port >= 0 && port <= MOST_PORT, "--metrics-port", "from 0 to " + MOST_PORT, port);
    InetSocketAddress address = new InetSocketAddress(metricsAddress, port);
    LoadSettings.require(
        !address.isUnresolved(), "--metrics-address", "an address of this machine", metricsAddress);
    return Optional.of(address);
  }

  boolean isQuiet() {
    return quiet;
  }
}
